// SPDX-License-Identifier: Apache-2.0
// Works for a while under Go's own CPU profiler with labels, then writes its heap. For test/proto/run: work CPU HEAP
package main

import (
	"context"
	"os"
	"runtime"
	"runtime/pprof"
	"time"
)

var kept [][]byte

//go:noinline
func spin(until time.Time) (sum int) {
	for time.Now().Before(until) {
		for i := 0; i < 100000; i++ {
			sum += i * i
		}
	}
	return sum
}

func main() {
	runtime.MemProfileRate = 4096
	cpu, _ := os.Create(os.Args[1])
	if err := pprof.StartCPUProfile(cpu); err != nil {
		panic(err)
	}
	pprof.Do(context.Background(), pprof.Labels("route", "/login page", "tier", "a"), func(context.Context) {
		spin(time.Now().Add(700 * time.Millisecond))
	})
	for i := 0; i < 400; i++ {
		kept = append(kept, make([]byte, 10000+i))
	}
	pprof.StopCPUProfile()
	cpu.Close()
	heap, _ := os.Create(os.Args[2])
	runtime.GC()
	if err := pprof.WriteHeapProfile(heap); err != nil {
		panic(err)
	}
	heap.Close()
}
