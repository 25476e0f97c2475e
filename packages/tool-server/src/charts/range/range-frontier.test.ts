import { expect, test } from 'vitest'
import { rangeResult } from '../picture-data.fixture.ts'
import { overlap } from '../place-labels.ts'
import { frontierPoints } from './range-frontier.ts'
import { rangeParts } from './range-parts.ts'

test.each([320, 336, 360, 720, 1_000, 1_200])(
  'at %i pixels no label lies on another, and the chosen range and the best held keep theirs',
  (width) => {
    const { grid } = rangeParts({ width, isBare: true }, 7, { above: 6, below: 4, left: -5 }).frontier
    const points = frontierPoints(rangeResult, grid)
    const labelled = points.flatMap(({ name, place }) => (place === null ? [] : [{ name, box: place.box }]))
    for (const [index, { box }] of labelled.entries())
      expect(labelled.slice(index + 1).filter((other) => overlap(box, other.box))).toEqual([])
    expect(labelled.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['chosen', expect.stringMatching(/^best held/)]),
    )
    expect(labelled.length, 'most are shown').toBeGreaterThan(points.length / 2)
  },
)

test('a point stands where the scale of its axes says', () => {
  const grid = { left: 100, top: 10, width: 250, height: 100 }
  const [chosen] = frontierPoints(rangeResult, grid)
  // From -2.5 to 0 % and from 0 to 100 % a year.
  expect(chosen).toMatchObject({ name: 'chosen', x: expect.closeTo(218, 8), y: expect.closeTo(68.8, 8) })
})
