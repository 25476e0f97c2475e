import { section } from './row.ts'

const server = 'packages/tool-server/src'
const engine = 'packages/engine/src'

/** Of the document about the tool server what it does, its transports and its authentication. */
export const toolServer = [
  ...section('What it does', [
    [
      'queries, trading, liquidity, vaults, identity, checks of a set-up, as tools',
      `${server}/tools/catalogue.test.ts`,
      '%s has its pinned tier, scope and profile',
    ],
    [
      '`vault_simulate_deposit` before `vault_deposit`',
      `${server}/tools/vaults/vault-simulate-deposit.chain.test.ts`,
      'says to the last share what the same deposit then does',
    ],
    [
      '`vault_deposit`, `vault_withdraw`, `vault_rebalance`',
      `${server}/tools/vaults/vault-withdraw.chain.test.ts`,
      '%s: brings an amount, and then all that is left',
    ],
    [
      '`execute_swap`',
      `${server}/tools/trade/execute-swap.chain.test.ts`,
      'sells %s for %s over ${version}, to the wei',
    ],
    [
      '`register_agent`, `query_agent_identity`',
      `${server}/tools/wallet/register-agent.chain.test.ts`,
      'register_agent registers the wallet',
    ],
    ['limits per transaction', `${engine}/spending/limits.chain.test.ts`, 'hold for one transaction to the cent'],
    [
      'limits per session and day',
      `${engine}/spending/limits.chain.test.ts`,
      'hold against draining by many small calls',
    ],
    [
      'a token allowlist, strict where asked for',
      `${engine}/spending/limits.chain.test.ts`,
      'strict: a token nobody listed is refused',
    ],
    [
      'a circuit breaker over the balance',
      `${engine}/switches/breaker.chain.test.ts`,
      'signs no more from the next write on',
    ],
    ['nonces without gaps or repeats', `${engine}/stages/parallel.chain.test.ts`, 'fifty writes at once'],
    ['every write is simulated before it is signed', `${engine}/stages/before-signing.chain.test.ts`, 'a simulation'],
    [
      'profile `data`: 28 tools that read, without a key',
      `${server}/tools/catalogue.test.ts`,
      'of a server that only reads are those of its profile',
    ],
    [
      'profile `learning` adds memory',
      `${server}/tools/memory/learning.chain.test.ts`,
      'an entry and an exit leave an episode of chain facts',
    ],
    ['eleven chains for reads', 'packages/wallet/src/chains.test.ts', 'covers eleven mainnets and two testnets'],
  ]),
  ...section('Transports', [
    [
      'stdio: one process, one client',
      `${server}/transports/stdio.system.test.ts`,
      'serves clients of both SDK generations and both eras',
    ],
    [
      'Streamable HTTP with `Mcp-Session-Id`, many clients',
      `${server}/transports/http.test.ts`,
      'are needed after initialize, and never authenticate',
    ],
    [
      'WebSocket, a connection a session',
      `${server}/transports/web-socket.test.ts`,
      'a client of the first SDK lists and calls tools as the principal of its key',
    ],
    ['`POST /mcp`', `${server}/transports/http.test.ts`, 'is a JSON-RPC message'],
    [
      '`GET /mcp`: a stream of the server’s',
      `${server}/transports/http.test.ts`,
      'carry a stream for the server, one at a time',
    ],
    [
      '`GET /.well-known/oauth-protected-resource`, to anybody',
      `${server}/auth/issued/served.test.ts`,
      'says at %s who issues tokens for it',
    ],
    [
      '`POST /auth/siwe` with `{ message, signature }` gives a JWT',
      `${server}/auth/sign-in/sign-in.chain.test.ts`,
      'gives a token in one call of the client',
    ],
    [
      '`GET /.well-known/agent.json`, to anybody',
      `${server}/status/check-agent.test.ts`,
      'everybody reads the card at both its addresses',
    ],
    ['revisions of the protocol since March 2025', `${server}/transports/http.test.ts`, 'speak %s'],
  ]),
  ...section('Settings', [
    [
      '`WALLET_TYPE`, `WALLET_APP_ID`, `WALLET_APP_SECRET`, `WALLET_ID`, `PRIVATE_KEY`, `RPC_API_KEY`, `SVC_TRADING_API_KEY`, `SVC_MCP_PROFILE`, `SVC_MCP_SUBGRAPH_API_KEY`, `MCP_AUTH_TOKEN`, `LOG_LEVEL` (`info`), `NODE_ENV`, `SVC_IPFS_MODE`, `SVC_AGENT_NAME`',
      `${server}/config.test.ts`,
      '%s has its effect, and none when left out',
    ],
    ['production takes a managed wallet alone', `${server}/config.test.ts`, '%o'],
  ]),
  ...section('API keys', [
    [
      '`svc_read_`, `svc_feedback_`, `svc_write_` limit the tools',
      `${server}/auth/auth.test.ts`,
      'is decided by the tier of a %s key',
    ],
    [
      'read: `get_`, `search_`, `list_`, `query_`',
      `${server}/tools/catalogue.test.ts`,
      'is read-only where the name says so',
    ],
    [
      'feedback: `submit_operator_feedback`, `manage_insight`, `update_memory_confidence` as well',
      `${server}/tools/memory/memory-tools.test.ts`,
      'are for keys of the feedback tier',
    ],
    ['`INSUFFICIENT_KEY_TIER` outside of a tier', `test/access.system.test.ts`, 'is what each caller meets over %s'],
    ['256 bits, base64url', `${server}/auth/auth.test.ts`, 'makes keys of 256 bits only'],
    [
      'made at a start where there are none, and written to the environment file',
      `${server}/config.test.ts`,
      'receives the generated keys, closed to others',
    ],
    ['never in a log', `packages/cli/src/secrets.system.test.ts`, 'G12: no secret leaves the process'],
  ]),
  ...section('Scopes', [
    [
      '`read:market`: `get_token_price`, `get_pool_info`, `search_tokens` and the like',
      `${server}/tools/catalogue.test.ts`,
      '%s has its pinned tier, scope and profile',
    ],
    [
      '`read:portfolio`: `get_agent_balance`, `get_positions_by_owner`, `get_position`',
      `${server}/tools/catalogue.test.ts`,
      '%s has its pinned tier, scope and profile',
    ],
    [
      '`write:trade`: `execute_swap`, `submit_uniswapx_order`, `submit_cross_chain_intent`',
      `${server}/tools/catalogue.test.ts`,
      '%s has its pinned tier, scope and profile',
    ],
    [
      '`write:liquidity`: `add_liquidity`, `remove_liquidity`, `collect_fees`, `rebalance_position`',
      `${server}/tools/catalogue.test.ts`,
      '%s has its pinned tier, scope and profile',
    ],
    [
      '`write:vault`: `vault_deposit`, `vault_withdraw`, `vault_rebalance`',
      `${server}/tools/catalogue.test.ts`,
      '%s has its pinned tier, scope and profile',
    ],
    [
      '`admin:wallet`: `provision_wallet`, `approve_token`, `check_safety_status`',
      `${server}/tools/catalogue.test.ts`,
      '%s has its pinned tier, scope and profile',
    ],
    [
      'a call beyond the scopes of a token',
      `${server}/auth/auth.test.ts`,
      'is decided by the scopes of a scoped token',
    ],
  ]),
  ...section('Authentication', [
    [
      'keys as `Authorization: Bearer`',
      `${server}/auth/auth.test.ts`,
      'gives a key the tier and the scopes of the key that matches',
    ],
    [
      'keys beyond this machine over HTTPS alone',
      `${server}/config.test.ts`,
      'lets a foreign address listen with TLS or behind a named proxy',
    ],
    ['a static token has all scopes', `${server}/auth/auth.test.ts`, 'gives the static token every scope and no tier'],
    ['401 without valid credentials', `${server}/transports/http.test.ts`, 'challenges as RFC 6750 says'],
    [
      '401 with the nonce of a challenge',
      `${server}/auth/sign-in/sign-in.chain.test.ts`,
      'answers whoever sends no credentials with a challenge',
    ],
    [
      'EIP-4361, and what the registry says of the agent and its role',
      `${server}/auth/sign-in/sign-in.chain.test.ts`,
      'knows an agent by its registration',
    ],
    [
      'claims `agentId`, `address`, `role`, `tier`, `scopes`, `exp`',
      `${server}/auth/sign-in/tokens.test.ts`,
      'is taken with exactly the claims it was issued with',
    ],
    [
      'OAuth 2.1: tokens of an authorization server of others, found by RFC 9728, scopes by tool',
      `${server}/auth/issued/served.test.ts`,
      'has a client ask for the scope that a call %s lacks',
    ],
    ['PKCE for all clients', `integration/authorization/main.mjs`, 'PKCE'],
    [
      'edge: `Access-Jwt-Assertion` is verified by the keys of the team',
      `${server}/auth/issued/edge-stage.test.ts`,
      'makes a principal that reads, and does what the policy grants to the service',
    ],
    [
      '`Access-Client-Id` and `Access-Client-Secret` end at the edge',
      `${server}/auth/issued/edge-stage.test.ts`,
      'refuses the secret of a client in words',
    ],
    [
      'stages stand side by side',
      `${server}/auth/credentials.system.test.ts`,
      'names principal and stage of every kind of caller',
    ],
  ]),
]
