import { devnetPolicy } from '@svc/engine'
import { svcProgram } from './setup/clients.ts'
import { shellWord } from './terminal-text.ts'
import type { World } from './start-world.ts'

/** What `svc up` tells a person once everything runs. */
export function welcome({ ready, settings, takenPorts }: Pick<World, 'ready' | 'settings' | 'takenPorts'>): string {
  const { mcp, rpc, wallet, api, orders, crossChain, registry, rewards } = ready
  const vaults = ready.vaults.map(({ label, address }) => `${address}, ${label}`).join('\n               ')
  const pools = [...ready.pools, ready.twamm.pool].map(
    (pool) =>
      `  ${pool.version}  ${pool.label.padEnd(18)} ${pool.id}${pool === ready.twamm.pool ? ' (TWAMM hook)' : sample(pool, ready)}`,
  )
  return `
The local world is up. Everything in it is worthless and ends with this process.

  MCP server   ${mcp.url}${instead(takenPorts.mcp)}
  read key     ${mcp.keys.read}
  feedback key ${mcp.keys.feedback}
  write key    ${mcp.keys.write}
  chain        ${rpc.url} (chain id ${rpc.chainId}; tools call it "local")${instead(takenPorts.rpc)}
  second chain ${crossChain.url} (chain id ${crossChain.chainId}; "${crossChain.chain}"), where the wallet holds gas alone
  wallet       ${wallet.address}, funded
  support API  ${api.url}: open it to claim gas for a wallet (app id ${api.appId})${instead(takenPorts.api)}${trading(ready)}${waysIn(ready)}

  vaults       ${vaults}
  orders       ${orders.reactor}, which settles what submit_uniswapx_order signs;
               a filler answers at once
  cross-chain  ${crossChain.settler}, on both chains: submit_cross_chain_intent opens here,
               a relayer fills on ${crossChain.chain}
  registry     ${registry.address}, where agents are registered (ERC-8004)
  rewards      ${rewards.distributor}, where some wait for the wallet
               (get_claimable_rewards; ${claims(ready)})

  data         ${settings.dataDir}${settings.isTemporary ? ', temporary: it goes with this process' : ''}
  policy       ${settings.policyIsNew ? describePolicy() : `as ${settings.policyPath} says`}${paused(settings)}

Pools, with thirty days of trading behind them (FOT takes a cut of each transfer, HOSTILE has a name that gives orders; in the
last one a stranger's order sells WETH for a day)
${pools.join('\n')}

Paste this into an MCP client that speaks HTTP (every tool):
${httpClientConfiguration(mcp.url, mcp.keys.write)}

Or this into one that starts its servers itself (reads only):
${stdioClientConfiguration(settings.chainsPath, rewards.url)}
${tokenCommands(ready)}
Ctrl-C ends all of it. To try next, in another terminal: what to earn where, what the policy allows, what is on record

${nextCommands(settings.dataDir).join('\n')}
`
}

/** Tokens that no list of the chain holds are asked for by their addresses. */
function sample({ token0, token1 }: World['ready']['pools'][number], { tokens }: World['ready']): string {
  const found = tokens.find(
    ({ symbol, address }) => /^(FOT|HOSTILE)$/.test(symbol) && (address === token0 || address === token1),
  )
  return found === undefined ? '' : ` (${found.symbol} ${found.address})`
}

function trading({ tradingApi }: World['ready']): string {
  return tradingApi === undefined
    ? ''
    : `\n  trading API  ${tradingApi.url}, a stand-in that builds calls (docs/config.md, SVC_TRADING_API_KEY)`
}

function waysIn({ oauth, signIn, webSocket }: World['ready']): string {
  const lines = [
    ...(oauth === undefined
      ? []
      : [
          `OAuth        ${oauth.issuer}, a real authorization server: for machines the client ${oauth.machine.clientId},`,
          `             for people ${oauth.program.clientId}, where any name and password signs in`,
        ]),
    ...(signIn === undefined
      ? []
      : [`wallets      sign in at ${signIn.url} and read; signIn of policy.json grants more`]),
    ...(webSocket === undefined ? [] : [`WebSocket    ${webSocket.url}, subprotocol mcp`]),
  ]
  return lines.map((line) => `\n  ${line}`).join('')
}

/** For a shell: what gets a token of the authorization server, and what lists tools with it. */
function tokenCommands({ oauth, mcp }: World['ready']): string {
  if (oauth === undefined) return ''
  const { clientId, clientSecret } = oauth.machine
  const asked = `-d grant_type=client_credentials -d resource=${mcp.url} -d 'scope=read:market read:portfolio'`
  const read = `node -p 'JSON.parse(fs.readFileSync(0)).access_token'`
  return `
A token of the authorization server, for five minutes, and the Inspector with it:

TOKEN=$(curl -s -u ${clientId}:${clientSecret} ${asked} ${oauth.tokenUrl} | ${read})
npx -y @modelcontextprotocol/inspector@2.12.0 --cli ${mcp.url} --transport http --header "Authorization: Bearer $TOKEN" --method tools/list
`
}

/** They are built by the trading API alone. */
function claims({ tradingApi }: World['ready']): string {
  return tradingApi === undefined
    ? 'claiming needs svc up --trading-api'
    : 'claim_lp_rewards takes them, by their tokens'
}

function paused({ pausedSince, dataDir }: World['settings']): string {
  if (pausedSince === null) return ''
  return `\n  signing      PAUSED since ${pausedSince}: svc resume --data-dir ${shellWord(dataDir)}`
}

function instead(taken: number | null): string {
  return taken === null ? '' : ` (not ${taken}, where another program listens)`
}

/** Commands about the world in this directory, for a shell in any directory. */
export function nextCommands(dataDir: string): readonly string[] {
  const svc = ['node', svcProgram]
  return [
    [...svc, 'lp', 'optimize', '--chain', 'local', '--pair', 'WETH/USDC', '--data-dir', dataDir],
    [...svc, 'policy', 'check', '--data-dir', dataDir],
    [...svc, 'audit', 'show', '--data-dir', dataDir],
  ].map((words) => words.map(shellWord).join(' '))
}

/** The limits that `svc up` writes, in a sentence. */
export function describePolicy(): string {
  const { perTransaction, perSession, daily } = devnetPolicy().limitsUsd ?? {}
  const [transaction, session, day] = [perTransaction, perSession, daily].map((usd) =>
    Number(usd).toLocaleString('en-US'),
  )
  return `at most ${transaction} USD a transaction, ${session} a session, ${day} a day; only who sells a token
               without a price source, or buys one that poses as another, waits for a person`
}

/** The block a person pastes into the settings of an MCP client that speaks HTTP. */
function httpClientConfiguration(url: string, key: string): string {
  return render({ type: 'http', url, headers: { Authorization: `Bearer ${key}` } })
}

/** The same for a client that starts its servers itself: reads only, on the chains of that file, rewards by that service. */
function stdioClientConfiguration(chainsPath: string, rewardsUrl: string): string {
  const args = [svcProgram, 'serve', '--transport', 'stdio']
  const env = { SVC_MCP_PROFILE: 'data', SVC_CHAINS_FILE: chainsPath, SVC_REWARDS_URL: rewardsUrl }
  return render({ command: 'node', args, env })
}

function render(server: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ mcpServers: { svc: server } }, null, 2)
}
