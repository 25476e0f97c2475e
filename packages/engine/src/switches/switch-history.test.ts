import { expect, it } from 'vitest'
import { type PastTime, withEnded } from './kill-switch.ts'

it('keeps the newest hundred', () => {
  let past: PastTime<number>[] = []
  for (let begun = 0; begun < 150; begun += 1) past = withEnded(past, begun, { by: 'operator:ada', at: `${begun}` })
  expect(past.map(({ begun }) => begun)).toEqual(Array.from({ length: 100 }, (_, index) => 50 + index))
})
