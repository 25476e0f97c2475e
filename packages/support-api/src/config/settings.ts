/** One setting as documented: its name (a trailing `<chainId>` stands for any chain's id), meaning and default. */
export type Setting = {
  readonly name: string
  readonly meaning: string
  /** As a reader would write it; `null` when the setting is off unless given. */
  readonly default: string | null
  readonly secret: boolean
}

/** Every setting the support API reads, and nothing it does not. */
export const settings = [
  setting('NODE_ENV', '`production`, `development` or `test`; every rule of the service holds in each.', 'development'),
  setting('LOG_LEVEL', '`trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`.', 'info'),
  setting('SVC_LISTEN', 'Address to listen at, `host:port`; port 0 is any free one.', '127.0.0.1:8080'),
  setting('SVC_TLS_CERT', 'Certificate file (PEM); with SVC_TLS_KEY the service speaks TLS 1.3.'),
  setting('SVC_TLS_KEY', 'Private key file of the certificate (PEM).'),
  setting('SVC_TRUSTED_PROXIES', 'Addresses or CIDR ranges of the edge that ends TLS, separated by commas.'),
  setting(
    'SVC_ALLOWED_HOSTS',
    'Host names the service answers to beside loopback, separated by commas. Required beyond loopback.',
  ),
  setting('SVC_DATA_DIR', 'Directory of the state where no database is named.', '.svc'),
  secret('SVC_DATABASE_URL', 'PostgreSQL URL; replicas of the service share it.'),
  setting('SVC_CHAINS_FILE', 'JSON file with chain rows, whole or partial, laid over the built-in table.'),
  secret(
    'SVC_RPC_URL_<chainId>',
    'RPC endpoints of one chain, separated by commas, first choice first.',
    'public ones',
  ),
  setting('SVC_IDENTITY_PROVIDER_URL', 'Base URL of the wallet provider that knows the app ids. Required.'),
  setting('SVC_IDENTITY_PROVIDER_PATH', 'Path an app is asked for at.', '/api/v1/apps/{appId}/config'),
  setting(
    'SVC_GATEWAY_URL',
    'IPFS gateway that answers name. Required beyond loopback, and with any backend but `embedded`.',
    'this service, where it listens',
  ),
  // pins
  setting('SVC_PIN_BACKEND', '`embedded`, `pinata`, `kubo` or `pinning-service`.', 'embedded'),
  setting('SVC_PIN_URL', 'Base URL of the backend: for Pinata its uploads, for Kubo its RPC.', 'the usual one'),
  secret('SVC_PINNING_JWT', 'Token of the account at Pinata or at the pinning service.'),
  setting('SVC_PIN_PER_APP_HOUR', 'New pins of one app in any hour.', '10'),
  setting('SVC_PIN_PER_NETWORK_HOUR', 'New pins from one range of addresses (/24, /64) in any hour.', '60'),
  setting('SVC_PIN_PER_DAY', 'New pins of all apps together in any 24 hours.', '10000'),
  // faucet
  secret(
    'SVC_FAUCET_PRIVATE_KEY',
    'Key of the account that pays: 0x and 64 hex digits. Without it there is no faucet.',
  ),
  setting('SVC_FAUCET_CHAINS', 'Ids of the chains it serves, separated by commas.', '11155111,84532'),
  setting('SVC_FAUCET_PER_APP_DAY', 'Grants of one app in any 24 hours.', '200'),
  setting('SVC_FAUCET_PER_NETWORK_DAY', 'Grants to one range of addresses (/24, /64) in any 24 hours.', '10'),
  setting('SVC_FAUCET_PER_CHAIN_DAY', 'Grants on one chain in any 24 hours.', '1000'),
  setting('SVC_FAUCET_TARGET_CEILING', 'Wallets that hold more than this of the native currency get nothing.'),
  // page
  setting('SVC_PAGE_APP_ID', 'Id of the app that claims on the page count for; without it the page asks for one.'),
] as const satisfies readonly Setting[]

export type SettingName = (typeof settings)[number]['name']

function setting<const Name extends string>(name: Name, meaning: string, fallback: string | null = null) {
  return { name, meaning, default: fallback, secret: false } as const
}

function secret<const Name extends string>(name: Name, meaning: string, fallback: string | null = null) {
  return { name, meaning, default: fallback, secret: true } as const
}
