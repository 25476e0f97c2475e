import * as z from 'zod'
import { backtestAnswer, rangeAnswer } from '../../packages/tool-server/src/charts/answers.fixture.ts'
import { backtestCurves, rangeResult } from '../../packages/tool-server/src/charts/picture-data.fixture.ts'
import { ToolError } from '@svc/amm'
import { readTool } from '../../packages/tool-server/src/tool.ts'

export const hostile = '<img src=x onerror="console.error(1)"><script>console.error(2)</script>'

const facts = {
  scope: 'read:market',
  input: z.strictObject({ token0: z.string(), horizonDays: z.number().optional() }),
} as const

/** The tools' names, views and answers; the answers themselves are made up. */
const ranges = readTool({
  name: 'optimize_lp_range',
  title: 'Ranges',
  description: 'Ranges.',
  view: 'lp-range',
  ...facts,
  output: z.looseObject({ pair: z.string() }),
}).handler(async ({ token0, horizonDays = 30 }, context) => {
  if (token0 === 'none') {
    const details = [{ field: 'fee', message: `No pool of ${hostile}.` }]
    throw new ToolError('POOL_NOT_FOUND', 'There is no such pool.', { details })
  }
  const answer = { ...rangeAnswer, pair: `${token0}/USDC` }
  if (token0 === 'slow') {
    const { simulation: _, ...analytic } = answer
    throw new ToolError('SIMULATION_TIMEOUT', 'Too slow.', { details: [{ message: 'The closed forms.', analytic }] })
  }
  context.draw(() => ({ kind: 'range', result: { ...rangeResult, pair: answer.pair }, horizonDays }))
  return answer
})

const backtests = readTool({
  name: 'backtest_lp_strategy',
  title: 'Backtests',
  description: 'Backtests.',
  view: 'lp-backtest',
  ...facts,
  output: z.looseObject({ pair: z.string() }),
}).handler(async ({ token0 }, context) => {
  context.draw(() => ({ kind: 'backtest', curves: backtestCurves() }))
  const strategies = token0 === 'empty' ? [] : backtestAnswer.strategies
  return { ...backtestAnswer, strategies, pair: `${token0}/USDC` }
})

export const tools = [ranges, backtests]
