import type { ConfigProblem as Problem } from '@svc/runtime'

export { ConfigError } from '@svc/runtime'

export type ConfigProblem = Problem<ConfigCode>

export type ConfigCode =
  | 'SETTING_INVALID'
  | 'SETTING_MISSING'
  | 'SETTING_UNKNOWN'
  | 'SETTING_UNUSED'
  | 'CHAINS_FILE_INVALID'
  | 'PLAINTEXT_LISTEN'
  | 'PROXY_NOT_NAMED'
  | 'TLS_FILE_INVALID'
  | 'DATA_DIR_INVALID'
