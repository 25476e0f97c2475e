export { agentVault, feeOnTransferToken, hookedToken, oddSettler, oddVault, poolCaller } from './contracts.gen.ts'
export {
  startFaultProxy,
  type Fault,
  type FaultProxy,
  type FaultProxyOptions,
  type FaultRule,
  failing,
  headOff,
  nonceOff,
  otherChain,
  receiptsHidden,
  type Lie,
} from './services/fault-proxy.ts'
export { startPostgres } from './postgres/start-postgres.ts'
export type { Postgres, PostgresOptions } from './postgres/start-postgres.ts'
export { testedEngine, usePostgres } from './postgres/use-postgres.ts'
export { useDevnet } from './use-devnet.ts'
