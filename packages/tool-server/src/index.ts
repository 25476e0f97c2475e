export {
  readOperatorKeys,
  type OperatorKey,
  type OperatorKeys,
  apiKeyFrom,
  apiKeySetting,
  keyTiers,
  provisionKeys,
  type ApiKeys,
} from './auth/credentials.ts'
export { chainAccess, readConfig } from './config.ts'
export {
  rpcUrls,
  type Config,
  type WalletConfig,
  ConfigError,
  type ConfigCode,
  type ConfigProblem,
} from './config/config-shape.ts'
export { readChains } from './config/chains-file.ts'
export { envFilePath, mergeEnvFile, readEnvFile, type MergedEnvFile, restoringName } from './config/env-file.ts'
export { isRpcProvider, rpcProviders } from './config/rpc-providers.ts'
export { settings } from './config/settings.ts'
export { openServer } from './open-server.ts'
export { ownerKeyName, checkHost } from './status/check-host.ts'
export { diagnoseSetup, type Diagnosis } from './status/diagnose.ts'
export { backtestPicture } from './charts/backtest/backtest-picture.ts'
export type { BacktestCurves, StrategyCurve } from './charts/backtest/backtest-curves.ts'
export type { Theme, Picture } from './charts/frame.ts'
export { rangePicture } from './charts/range/range-picture.ts'
export type { RangeResult } from './charts/range/range-surroundings.ts'
export { renderPng } from './charts/render-png.ts'
export { renderSvg } from './workers/run-work.ts'
export { runServer, stoppedLine, stoppingLine } from './run-server.ts'
export { createServer, type Adapters, type ToolServer } from './server.ts'
export { writeTool, type Tool } from './tool.ts'
export type { WriteContext } from './tool-context.ts'
export { catalogue } from './tools/index.ts'
export { toolsetNames, toolsets } from './config/toolsets.ts'
export { alertTable, alertThresholds, type AlertRow } from './alerts/alert-table.ts'
export { metricCatalogue } from './metrics/metric-catalogue.ts'
