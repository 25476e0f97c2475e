export { ConfigError, type ConfigProblem, unknownSettings, type UnknownSetting } from './settings.ts'
export { isLoopback, isRecord, isUuid, jsonFault, repeatedMember } from './json.ts'
export { nearestName } from './nearest-name.ts'
export { createLog, type Log, type LogDestination, type LogFacts, type LogLevel } from './log.ts'
export { printable, createRedactor, type Redactor } from './redact.ts'
export { directoryObstacle, makeDirectory, readFileIfPresent, replaceFileDurably, syncFolder } from './durable-file.ts'
export { clientAddress, ipv6Network, type ClientAddress, type RequestSource } from './client-address.ts'
export { forbidDumps } from './forbid-dumps.ts'
export { inTurns, createWaitingLine, inTime, withinTime } from './waiting.ts'
export { yieldToEventLoop } from '#yield-to-event-loop'
export {
  createTokenBuckets,
  quotaLeft,
  quotaPolicy,
  type QuotaLimit,
  rateLimitHeaders,
  retryAfterSeconds,
  type Taken,
  type TokenBucketOptions,
} from './token-buckets.ts'
