// SPDX-License-Identifier: Apache-2.0
// Calls that V8 compiles soon and keeps apart, for so many seconds.
function fibonacci(n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
function mixture(seed) { let x = seed | 1; for (let i = 0; i < 20000; i++) x = (x * 31 + (x >>> 3)) | 0; return x; }
const end = Date.now() + Number(process.argv[2]) * 1000;
let total = 0;
while (Date.now() < end) total = (total + fibonacci(20) + mixture(total)) | 0;
console.log(total);
