// What `svc lp` shares with the tools of the same names: both take the same strategies and tell of ranges alike.
export { ToolError } from '../tool-error.ts'
export { backtestWinner } from '../tools/backtest-winner.ts'
export { choiceNotes } from '../tools/choice-notes.ts'
export { figure } from '../tools/figure.ts'
export { netAprError } from '../tools/net-apr-error.ts'
export { strategiesOf, usualStrategies } from '../tools/strategies-of.ts'
export { riskTargets, toldChoice } from '../tools/told-choice.ts'
export { toldSimulation } from '../tools/told-simulation.ts'
