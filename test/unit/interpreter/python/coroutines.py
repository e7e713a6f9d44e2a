# SPDX-License-Identifier: Apache-2.0
import asyncio, contextlib, time

@contextlib.asynccontextmanager
async def resource(name):
    await asyncio.sleep(0)
    yield name

async def numbers():
    for i in range(3):
        yield i

async def leaf():
    async with resource("r") as r:
        async for n in numbers():
            [time.sleep(1000) async for _ in numbers()]

async def work():
    return await leaf()

async def main():
    other = asyncio.create_task(asyncio.to_thread(time.sleep, 1000))
    await asyncio.sleep(0.2)
    await asyncio.gather(work(), other)

asyncio.run(main())
