import { createSimulation } from '@svc/lp-math'
import { expect, test } from 'vitest'
import { createInlineWorkers } from './compute.ts'

const input = {
  model: { price: 1, sigma: 0.8, drift: 0, years: 30 / 365 },
  bounds: [{ lower: 0.9, upper: 1.1 }],
  paths: 5_000,
  steps: 32,
  seed: 7,
}

test('what is asked for is done on the spot, and how far it is is told', async () => {
  const here = createSimulation(input)
  here.advance(here.paths)
  const heard: number[] = []
  const run = await createInlineWorkers().run('simulate', input, { onProgress: (done) => void heard.push(done) })
  expect(run).toEqual({ paths: here.paths, estimates: here.result() })
  expect(heard.at(-1)).toBe(here.paths)
})

test('what the work refuses is refused, and no picture is drawn', async () => {
  const workers = createInlineWorkers()
  await expect(workers.run('simulate', { ...input, steps: 0 }, {})).rejects.toThrow('steps')
  await expect(workers.run('draw', {} as never, {})).rejects.toThrow('threads')
})
