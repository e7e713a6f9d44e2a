// SPDX-License-Identifier: Apache-2.0
// Calls that HotSpot compiles soon, a thread that sleeps between them, for so many seconds.
import java.util.*;

public class Busy {
	static int descend(int depth, int[] numbers) { return depth == 0 ? sum(numbers) : descend(depth - 1, numbers) ^ depth; }
	static int sum(int[] numbers) { int s = 0; for (int n : numbers) s += n * 31 + (s >>> 3); return s; }
	static int count(int seed) {
		Map<String, Integer> counts = new HashMap<>();
		for (int i = 0; i < 200; i++) counts.merge("k" + (i * seed % 97), i, Integer::sum);
		int s = 0;
		for (int n : counts.values()) s += n;
		return s;
	}
	static int sort(Random random) {
		Integer[] numbers = new Integer[300];
		for (int i = 0; i < numbers.length; i++) numbers[i] = random.nextInt();
		Arrays.sort(numbers, (a, b) -> Integer.compare(b, a));
		return numbers[0];
	}
	public static void main(String[] arguments) {
		long end = System.nanoTime() + (long) (Double.parseDouble(arguments[0]) * 1e9);
		int[] numbers = new int[2000];
		Random random = new Random(1);
		int total = 0;
		new Thread(() -> {
			while (System.nanoTime() < end) {
				synchronized (Busy.class) { count(3); }
				try { Thread.sleep(1); } catch (InterruptedException e) { }
			}
		}, "sleeper").start();
		while (System.nanoTime() < end) {
			for (int i = 0; i < numbers.length; i++) numbers[i] = total + i;
			total += descend(20, numbers) + count(total & 31) + sort(random);
		}
		System.out.println(total);
	}
}
