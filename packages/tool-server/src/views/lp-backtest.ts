import { backtestFigures, type BacktestAnswer } from '../charts/backtest/backtest-figures.ts'
import { openView } from './open-view.ts'

openView({
  name: 'lp-backtest',
  doing: 'Replaying the hours of the pool',
  figuresOf: (answer) => (isBacktest(answer) ? backtestFigures(answer) : null),
  // The curves are no part of the answer.
  chartOf: () => null,
})

function isBacktest(answer: object): answer is BacktestAnswer {
  const { strategies } = answer as Partial<BacktestAnswer>
  return Array.isArray(strategies) && strategies.length > 0
}
