import { isRecord } from './host-bridge.ts'
import { openView, type Input } from './open-view.ts'
import { rangeFigures, type AnsweredRange } from '../charts/range/range-figures.ts'

openView({
  name: 'lp-range',
  doing: 'Reading the pool and weighing ranges',
  figuresOf: (answer, input) => (isRange(answer) ? rangeFigures(answer, horizonOf(input)) : null),
  chartOf: (answer, input) =>
    isRange(answer) ? { kind: 'range', result: answer, horizonDays: horizonOf(input) } : null,
})

function isRange(answer: object): answer is AnsweredRange {
  const { optimalRange, projections } = answer as Partial<AnsweredRange>
  return isRecord(optimalRange) && isRecord(projections)
}

/** As the tool takes it where none is given. */
function horizonOf({ horizonDays }: Input): number {
  return typeof horizonDays === 'number' ? horizonDays : 30
}
