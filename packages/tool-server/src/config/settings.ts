/** One setting as documented: its name (a trailing `<chainId>` stands for any chain's id), meaning and default. */
export type Setting = {
  readonly name: string
  readonly meaning: string
  /** As a reader would write it; `null` when the setting is off unless given. */
  readonly default: string | null
  readonly secret: boolean
}

/** Every setting the server reads, and nothing it does not. */
export const settings = [
  // wallet
  setting('WALLET_TYPE', '`managed` or `local`. Production must be `managed`.', '`local` when PRIVATE_KEY is set'),
  setting('WALLET_APP_ID', 'App id at the managed wallet provider.'),
  secret('WALLET_APP_SECRET', 'App secret at the managed wallet provider.'),
  setting('WALLET_ID', 'The managed wallet.'),
  secret('WALLET_AUTH_PRIVATE_KEY', 'P-256 key (base64 of PKCS#8) that authorizes each request to the provider.'),
  setting(
    'SVC_WALLET_API_URL',
    'API of the managed wallet provider: https, or http on this machine.',
    'the public one',
  ),
  setting(
    'SVC_PROVISION_ROLE',
    'Lets `provision_wallet` make the managed wallet that this server lacks, behind the policy of a role at its provider: `vault_participant`, `vault_manager` or `vault_creator`. Needs WALLET_TYPE=managed, WALLET_APP_ID, WALLET_APP_SECRET and SVC_PROVISION_OWNER_KEY.',
  ),
  setting(
    'SVC_PROVISION_OWNER_KEY',
    'Public P-256 key (base64 of SPKI) of who may change that wallet and its policy; its private half belongs on another machine.',
  ),
  setting('SVC_PROVISION_CHAINS', 'Chains on which that wallet may act, separated by commas.', 'base'),
  secret('PRIVATE_KEY', 'Key of a local wallet: 0x and 64 hex digits. Development only.'),
  // the server
  setting(
    'NODE_ENV',
    '`production`, `development` or `test`; the first holds the server to stricter rules.',
    'development',
  ),
  setting(
    'SVC_MCP_PROFILE',
    '`data` (reads only), `full`, or `learning`: `full`, whose answers take into account what is remembered.',
    '`full` with a wallet, else `data`',
  ),
  setting(
    'SVC_MCP_TOOLSETS',
    'Which tools of the profile are offered: `market`, `positions`, `liquidity`, `trade`, `vaults`, `wallet`, separated by commas.',
    'all of them',
  ),
  setting('SVC_MEMORY', 'Whose memory a caller has: its `own`, or one that all callers share (`shared`).', 'own'),
  setting(
    'SVC_WATCH_SECONDS',
    'How often watched positions are looked at, 15 to 3600: one request for each chain.',
    '60',
  ),
  secret(
    'SVC_WEBHOOK_URL',
    'Where events of watches are posted: https, or http to a private address; needs SVC_WEBHOOK_SECRET.',
  ),
  secret(
    'SVC_WEBHOOK_SECRET',
    'Key that events are signed with (Standard Webhooks): `whsec_` and 24 to 64 random bytes in base64.',
  ),
  setting(
    'SVC_WEBHOOK_PRIVATE',
    'Whether the webhook may stand for an address of this machine or a private network: `refuse` or `allow`.',
    'refuse',
  ),
  setting('SVC_LISTEN', 'Address of the HTTP transport, `host:port`; port 0 is any free one.', '127.0.0.1:3000'),
  setting(
    'SVC_WEBSOCKET',
    '`on` or `off`: whether `/mcp` takes upgrades to WebSocket as well, for clients that speak nothing newer.',
    'off',
  ),
  setting('SVC_DATA_DIR', 'Directory of state, policy, audit log and environment file.', '.svc'),
  secret(
    'SVC_DATABASE_URL',
    'PostgreSQL URL that takes the place of the state file; servers of the profile `data` share there what cannot change.',
  ),
  setting(
    'SVC_METRICS_LISTEN',
    'Address on which `/metrics` shows figures to Prometheus, `host:port`, such as `127.0.0.1:9464`; beyond loopback it needs SVC_METRICS_TOKEN, and TLS or a proxy that ends it.',
  ),
  secret('SVC_METRICS_TOKEN', 'Bearer token that whoever reads the figures has to send: at least 32 characters.'),
  setting(
    'SVC_TRACES_URL',
    'Collector that spans are sent to over OTLP/HTTP, whole, such as `http://127.0.0.1:4318/v1/traces`; without it nothing is traced.',
  ),
  setting('LOG_LEVEL', '`trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`.', 'info'),
  // who may call
  secret('SVC_API_KEY_READ', 'Key of the read tier.', 'generated'),
  secret('SVC_API_KEY_FEEDBACK', 'Key of the feedback tier.', 'generated'),
  secret('SVC_API_KEY_WRITE', 'Key of the write tier.', 'generated'),
  secret('MCP_AUTH_TOKEN', 'Static bearer token with every scope; at least 256 random bits.'),
  setting('SVC_TLS_CERT', 'Certificate file (PEM); with SVC_TLS_KEY the server speaks TLS 1.3.'),
  setting('SVC_TLS_KEY', 'Private key file of the certificate (PEM).'),
  setting('SVC_TRUSTED_PROXIES', 'Addresses or CIDR ranges of the edge that ends TLS, separated by commas.'),
  setting(
    'SVC_CLIENT_ADDRESS_HEADER',
    'Header field in which that edge names the client, over whatever a client sends there, such as `Fly-Client-IP`; read from the proxies of SVC_TRUSTED_PROXIES alone. Only where the last public address of X-Forwarded-For is the edge itself: rate limits go by it.',
    'X-Forwarded-For, its last address that is no trusted proxy',
  ),
  setting('SVC_ALLOWED_HOSTS', 'Host names the server answers to beside loopback, separated by commas.'),
  setting('SVC_ALLOWED_ORIGINS', 'Origins whose pages may call the server, separated by commas.'),
  setting(
    'SVC_PUBLIC_URL',
    'Where clients reach the server, such as `https://mcp.example.com/mcp`: who signs in signs for it, and tokens hold there alone. Its host counts as allowed.',
    'where it listens, on this machine',
  ),
  setting(
    'SVC_OPERATOR_PAGE',
    '`on` serves `/operator` beside `/mcp`: gauges, what waits, last writes, health. Without SVC_PUBLIC_URL it is read-only, for this machine, and opens with a link of `svc status --page`; with an https one it takes a passkey of `operators` of the policy to see it, and one again for each decision.',
    'off',
  ),
  setting(
    'SVC_SIWE_CHAIN',
    'Name or id of the chain whose wallets may sign in (EIP-4361) and whose identity registry says who is an agent; needs an endpoint of your own there (SVC_RPC_URL_<chainId> or SVC_RPC_PROVIDER). What they may do, `signIn` of the policy says.',
  ),
  setting(
    'SVC_OAUTH_ISSUERS',
    'Authorization servers whose access tokens (RFC 9068) are taken, separated by commas: the issuer, the algorithms it signs with, and the place of its keys unless its metadata says so, with spaces between them, such as `https://auth.example.com ES256`. What a token may do, its scopes say.',
  ),
  setting(
    'SVC_EDGE_ISSUER',
    'Issuer (`iss`) of the tokens of an access edge in front of the server; needs the two that follow. What a service may do, `signIn` of the policy says.',
  ),
  setting('SVC_EDGE_KEYS_URL', 'Where the edge publishes its keys: https, or http on this machine.'),
  setting('SVC_EDGE_AUDIENCE', 'Audience (`aud`) of its tokens; several separated by commas.'),
  setting('SVC_EDGE_TOKEN_HEADER', 'Header field in which the edge hands a token on.', 'Access-Jwt-Assertion'),
  setting(
    'SVC_EDGE_SECRET_HEADER',
    'Header field in which clients show the edge their secret; refused here, as is Access-Client-Secret.',
    'Access-Client-Secret',
  ),
  // chains
  secret(
    'SVC_RPC_URL_<chainId>',
    'RPC endpoints of one chain, separated by commas, first choice first. A user and password in one travel as Basic authentication.',
  ),
  secret(
    'SVC_PRIVATE_RPC_URL_<chainId>',
    'RPC endpoint of one chain that keeps transactions from the public pool: every write that swaps goes there alone, with its approvals. Reads and receipts stay with the other endpoints. The policy says whether it may go public later (privateSubmission).',
  ),
  secret(
    'SVC_RPC_PROVIDER',
    'Endpoints of all other chains: a template with {chain} or {chainId}, and {key}; or by its name a provider that needs RPC_API_KEY: `alchemy`, `ankr`, `drpc`, `infura`.',
  ),
  secret('RPC_API_KEY', 'Key of the provider: what {key} in SVC_RPC_PROVIDER stands for.'),
  secret('SVC_BUNDLER_URL_<chainId>', 'Bundler of user operations on one chain (ERC-4337); used with a paymaster.'),
  secret('SVC_PAYMASTER_URL_<chainId>', 'Paymaster of user operations on one chain (ERC-7677); used with a bundler.'),
  setting('SVC_CHAINS_FILE', 'JSON file with chain rows, whole or partial, laid over the built-in table.'),
  // other services
  secret(
    'SVC_TRADING_API_KEY',
    'Key of the trading API, which then builds deposits, removals, collections and the better swap; claim_lp_rewards and migrate_position need it.',
  ),
  setting(
    'SVC_TRADING_API_URL',
    'Base URL of the trading API; asked only with a key.',
    'https://trade-api.gateway.uniswap.org/v1, for `lp` https://liquidity.api.uniswap.org',
  ),
  setting(
    'SVC_TRADING_API_DIALECT',
    'How the trading API is spoken to: `v1`, or `lp`, the newer one, which builds no swaps, migrations, claims of rewards or pairs of v2.',
    'v1',
  ),
  secret('SVC_ORDER_API_KEY', 'Key of the service that takes signed orders; that of the trading API unless given.'),
  setting(
    'SVC_ORDER_API_URL',
    "Base URL of the service that offers orders and takes signed ones, with the trading API's routes `/quote` and `/order`; asked only with a key.",
    'the trading API',
  ),
  secret('SVC_MCP_SUBGRAPH_API_KEY', 'Key of the subgraph gateway, for the history of pools.'),
  setting(
    'SVC_REWARDS_URL',
    "Base URL of the service that gives the proofs of rewards, with Merkl's API; it is asked for the wallets that callers name.",
    'https://api.merkl.xyz',
  ),
  setting('SVC_IPFS_MODE', '`proxy`, `pinata` or `inline`: how agent cards are published.', 'proxy'),
  secret('SVC_PINNING_JWT', 'Token of the own pinning account, for SVC_IPFS_MODE=pinata.'),
  setting('SVC_AGENT_NAME', 'Name the agent registers under, and that of its public card.'),
  setting(
    'SVC_AGENT_ID',
    'The agent that this server is, `<chain id>:<token id>` as register_agent says it: `/.well-known/agent-registration.json` proves it for the domain, and check_setup_health holds registry, card and endpoint against each other.',
  ),
  setting('SVC_API_URL', 'Base URL of the support API, whose pin proxy publishes agent cards.'),
  setting(
    'SVC_GATEWAY_URL',
    'IPFS gateway for reading agent cards; without it, only those that stand in their own URI are read.',
  ),
  setting(
    'SVC_IDENTITY_PROVIDER_URL',
    "Base URL of the wallet provider's public app configuration: check_setup_health and `svc doctor` ask it for WALLET_APP_ID, as pin proxy and faucet do.",
  ),
] as const satisfies readonly Setting[]

export type SettingName = (typeof settings)[number]['name']

function setting<const Name extends string>(name: Name, meaning: string, fallback: string | null = null) {
  return { name, meaning, default: fallback, secret: false } as const
}

function secret<const Name extends string>(name: Name, meaning: string, fallback: string | null = null) {
  return { name, meaning, default: fallback, secret: true } as const
}
