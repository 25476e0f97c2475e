import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { overlap, placeLabels, type Box, type Mark } from './place-labels.ts'

const area: Box = { left: 70, top: 900, width: 276, height: 180 }
const right = area.left + area.width
const bottom = area.top + area.height

const mark = (mustShow: boolean) =>
  fc.record<Mark>({
    x: fc.double({ min: area.left, max: right, noNaN: true }),
    y: fc.double({ min: area.top, max: bottom, noNaN: true }),
    size: fc.constantFrom(5, 9, 14),
    label: fc.record({ width: fc.integer({ min: 20, max: 110 }), height: fc.constant(14) }),
    mustShow: fc.constant(mustShow),
  })
/** Anywhere, or crowded about one point and in a corner. */
const marks = fc
  .tuple(fc.array(mark(false), { maxLength: 11 }), mark(true), mark(true), fc.constantFrom(1, 0.1, 0))
  .map(([others, chosen, best, spread]) =>
    [chosen, ...others, best].map(({ x, y, ...one }) =>
      Object.assign(one, { x: right - spread * (right - x), y: area.top + spread * (y - area.top) }),
    ),
  )

test('no label lies on another or leaves the area, and those that must be shown are', () => {
  fc.assert(
    fc.property(marks, (all) => {
      const places = placeLabels(all, area, [{ left: 200, top: 950, width: 10, height: 60 }])
      expect(places).toHaveLength(all.length)
      const boxes = places.flatMap((place) => (place === null ? [] : [place.box]))
      for (const [index, box] of boxes.entries()) {
        expect(boxes.slice(index + 1).some((other) => overlap(box, other))).toBe(false)
        expect(box.left).toBeGreaterThanOrEqual(area.left)
        expect(box.left + box.width).toBeLessThanOrEqual(right)
        expect(box.top).toBeGreaterThanOrEqual(area.top)
        expect(box.top + box.height).toBeLessThanOrEqual(bottom)
      }
      expect(all.flatMap(({ mustShow }, index) => (mustShow ? [places[index]] : []))).not.toContain(null)
    }),
  )
})

test('a label that may be left out lies on no mark and on nothing else that is drawn', () => {
  fc.assert(
    fc.property(marks, (all) => {
      const obstacle = { left: 200, top: 950, width: 10, height: 60 }
      const drawn = [
        obstacle,
        ...all.map(({ x, y, size }) => ({ left: x - size / 2, top: y - size / 2, width: size, height: size })),
      ]
      const places = placeLabels(all, area, [obstacle])
      const boxes = all.flatMap(({ mustShow }, index) => (mustShow ? [] : (places[index]?.box ?? [])))
      expect(boxes.filter((box) => drawn.some((one) => overlap(one, box)))).toEqual([])
    }),
  )
})

test('alone it stands to the right of its mark; at the right edge to the left, its words towards the mark', () => {
  const alone = { x: 150, y: 1_000, size: 10, label: { width: 40, height: 14 }, mustShow: false }
  expect(placeLabels([alone], area)).toEqual([{ box: { left: 158, top: 993, width: 40, height: 14 }, align: 'left' }])
  const [atEdge] = placeLabels([{ ...alone, x: right, y: 907 }], area)
  expect(atEdge).toEqual({ box: { left: right - 48, top: 900, width: 40, height: 14 }, align: 'right' })
})
