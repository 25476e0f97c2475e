/**
 * Where the labels of marks go: each beside its mark, none on another, all within the area. The first marks choose first; a label
 * that finds no place clear of labels and marks is left out, unless it must be shown: those come before all others, and rather
 * lie on a mark, or farther from their own, than not at all. Two such always find a place in an area of three times their height.
 */
export function placeLabels(marks: readonly Mark[], area: Box, obstacles: readonly Box[] = []): readonly Place[] {
  const taken = [...obstacles, ...marks.map(({ x, y, size }) => boxAround(x, y, size, size))]
  const placed: Box[] = []
  const places = new Map<Mark, LabelPlace>()
  const isFree = ({ box }: LabelPlace) => placed.every((other) => !overlap(box, other))
  const lyingOn = ({ box }: LabelPlace) => taken.filter((other) => overlap(box, other)).length
  const mustPlace = (beside: readonly LabelPlace[], mark: Mark) => {
    const free = beside.map((one) => within(one, area)).filter(isFree)
    const farther = () => placed.flatMap((other) => aboveAndBelow(mark, other)).map((one) => within(one, area))
    return free.toSorted((one, other) => lyingOn(one) - lyingOn(other))[0] ?? farther().find(isFree)
  }
  for (const mark of marks.toSorted((one, other) => Number(other.mustShow) - Number(one.mustShow))) {
    const near = sides.map((side) => placeAt(mark, side, gap))
    const place = mark.mustShow
      ? mustPlace([...near, ...sides.map((side) => placeAt(mark, side, wideGap))], mark)
      : near.find((one) => isInside(one.box, area) && isFree(one) && lyingOn(one) === 0)
    if (place === undefined) continue
    placed.push(place.box)
    places.set(mark, place)
  }
  return marks.map((mark) => places.get(mark) ?? null)
}

/** A mark around its point, and the room that its label needs, in pixels; whole ones for the label and the area. */
export type Mark = {
  readonly x: number
  readonly y: number
  readonly size: number
  readonly label: { readonly width: number; readonly height: number }
  readonly mustShow: boolean
}

/** The room of a label, and to which side of it the words keep: towards their mark. */
export type LabelPlace = { readonly box: Box; readonly align: 'left' | 'center' | 'right' }

export type Place = LabelPlace | null

export type Box = { readonly left: number; readonly top: number; readonly width: number; readonly height: number }

export function overlap(one: Box, other: Box): boolean {
  return (
    one.left < other.left + other.width &&
    other.left < one.left + one.width &&
    one.top < other.top + other.height &&
    other.top < one.top + one.height
  )
}

type Side = readonly [across: -1 | 0 | 1, down: -1 | 0 | 1]

/** Straight beside the mark first. */
const sides: readonly Side[] = [
  [1, 0],
  [0, -1],
  [-1, 0],
  [0, 1],
  [1, -1],
  [1, 1],
  [-1, -1],
  [-1, 1],
]

const gap = 3
const wideGap = 9

function placeAt({ x, y, size, label }: Mark, [across, down]: Side, apart: number): LabelPlace {
  const box = labelBox(
    x + across * (size / 2 + apart + label.width / 2),
    y + down * (size / 2 + apart / 2 + label.height / 2),
    label,
  )
  return { box, align: across === 0 ? 'center' : across > 0 ? 'left' : 'right' }
}

function aboveAndBelow({ x, label }: Mark, { top, height }: Box): LabelPlace[] {
  return [top - label.height / 2, top + height + label.height / 2].map((middle) => ({
    box: labelBox(x, middle, label),
    align: 'center',
  }))
}

/** On whole pixels, so that what touches does not overlap by a rounding. */
function labelBox(x: number, y: number, { width, height }: Mark['label']): Box {
  return { left: Math.round(x - width / 2), top: Math.round(y - height / 2), width, height }
}

function boxAround(x: number, y: number, width: number, height: number): Box {
  return { left: x - width / 2, top: y - height / 2, width, height }
}

function isInside(box: Box, area: Box): boolean {
  const { box: moved } = within({ box, align: 'center' }, area)
  return moved.left === box.left && moved.top === box.top
}

function within({ box, align }: LabelPlace, { left, top, width, height }: Box): LabelPlace {
  const clamp = (value: number, least: number, most: number) => Math.max(least, Math.min(value, most))
  return {
    box: {
      ...box,
      left: clamp(box.left, left, left + width - box.width),
      top: clamp(box.top, top, top + height - box.height),
    },
    align,
  }
}
