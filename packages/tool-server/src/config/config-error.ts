import type { ConfigProblem as Problem } from '@svc/runtime'

export { ConfigError } from '@svc/runtime'

export type ConfigProblem = Problem<ConfigCode>

export type ConfigCode =
  | 'SETTING_INVALID'
  | 'SETTING_MISSING'
  | 'SETTING_UNKNOWN'
  | 'CHAINS_FILE_INVALID'
  | 'ENV_FILE_UNSAFE'
  | 'ENV_FILE_INVALID'
  | 'LOCAL_KEY_IN_PRODUCTION'
  | 'PLAINTEXT_LISTEN'
  | 'AUTH_TOKEN_WEAK'
  | 'API_KEY_WEAK'
  | 'TLS_UNVERIFIED_UPSTREAM'
  | 'MANAGED_WALLET_UNAVAILABLE'
  | 'DATABASE_UNAVAILABLE'
  | 'DATA_DIR_UNSAFE'
  | 'POLICY_INVALID'
