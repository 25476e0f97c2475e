import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { answeredAt, createTraffic } from './traffic.ts'

test('a thread that waits for an answer is woken by it', async () => {
  const { counts, answered } = createTraffic()
  const program = `
    const { parentPort, workerData: counts } = require('node:worker_threads')
    let how = 'not-equal'
    while (how === 'not-equal') how = Atomics.wait(counts, ${answeredAt}, Atomics.load(counts, ${answeredAt}), 5_000)
    parentPort.postMessage(how)`
  const worker = new Worker(program, { eval: true, workerData: counts })
  const ends = once(worker, 'message')
  const answering = setInterval(answered, 20)
  expect(await ends).toEqual(['ok'])
  clearInterval(answering)
})
