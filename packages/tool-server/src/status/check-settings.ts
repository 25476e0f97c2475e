import type { Config } from '../config/config-shape.ts'
import type { Ports } from '../ports.ts'
import type { SetupCheck } from '../tool-context.ts'

/** What the settings say of themselves, the wallet, and the keys for services whose lack closes tools. */
export function checkSettings(
  config: Config,
  ports: Pick<Ports, 'agentAddress'>,
  place: string,
): readonly SetupCheck[] {
  return [
    checkWarnings(config),
    checkWallet(config, ports, place),
    ...checkTradingKey(config),
    checkSubgraphKey(config),
  ]
}

function checkWarnings({ warnings }: Config): SetupCheck {
  if (warnings.length === 0) return passed('config', 'The settings are in order.')
  return warned('config', warnings.join(' '), 'Correct or remove the settings named.')
}

function checkWallet(
  { wallet, profile, provision }: Config,
  { agentAddress }: Pick<Ports, 'agentAddress'>,
  place: string,
): SetupCheck {
  const id = 'wallet'
  if (wallet === null && provision !== null) {
    const where = provision.chains.map(({ name }) => name).join(', ')
    const message = `No wallet yet. One may be made for the role ${provision.role} on ${where} (SVC_PROVISION_ROLE).`
    return warned(id, message, `Have the agent call provision_wallet. Or run: svc setup production --data-dir ${place}`)
  }
  if (wallet !== null && agentAddress !== null) return passed(id, `The ${wallet.type} wallet is ${agentAddress}.`)
  if (profile === 'data') {
    const has = wallet === null ? 'No wallet' : `A ${wallet.type} wallet that nothing uses`
    return passed(id, `${has}; the profile "data" only reads. For writes: svc setup production --data-dir ${place}`)
  }
  const fix = `Set WALLET_TYPE and what it needs (PRIVATE_KEY for a local wallet in development), then restart. Run: svc setup production --data-dir ${place}`
  return failed(id, 'No wallet, so nothing can be signed.', fix)
}

/** Tools that a server without the key offers all the same, and that refuse: said before one is called. */
function checkTradingKey({ wallet, profile, upstream }: Config): readonly SetupCheck[] {
  if (wallet === null || profile === 'data') return []
  const id = 'trading-api'
  if (upstream.tradingApiKey !== null && upstream.tradingApiDialect === 'lp') {
    const message =
      'The dialect lp of the trading API has neither claims of rewards nor migrations: claim_lp_rewards and migrate_position refuse, and harvest_rewards leaves rewards out.'
    const fix =
      'Where these are wanted, set SVC_TRADING_API_DIALECT to v1 (in a local world svc up --trading-dialect v1), then restart.'
    return [warned(id, message, fix)]
  }
  if (upstream.tradingApiKey !== null) return [passed(id, 'There is a key for the trading API.')]
  const refusing =
    upstream.orderApiKey === null
      ? 'claim_lp_rewards, migrate_position and submit_uniswapx_order refuse'
      : 'claim_lp_rewards and migrate_position refuse'
  const message = `Without a key for the trading API ${refusing}, and harvest_rewards leaves rewards out. All other tools work.`
  const fix = 'Where these are wanted, set SVC_TRADING_API_KEY (in a local world svc up --trading-api), then restart.'
  return [warned(id, message, fix)]
}

function checkSubgraphKey({ upstream }: Config): SetupCheck {
  const id = 'subgraph-key'
  if (upstream.subgraphApiKey !== null) return passed(id, 'There is a key for subgraphs.')
  return passed(id, 'Without SVC_MCP_SUBGRAPH_API_KEY the past of pools is read from the endpoints alone.')
}

/** Nothing to fix. */
export function passed(id: string, message: string): SetupCheck {
  return { id, status: 'pass', message, fix: null }
}

/** What works, and could be better. */
export function warned(id: string, message: string, fix: string): SetupCheck {
  return { id, status: 'warn', message, fix }
}

/** What is broken. The fix ends in the command that fixes it, behind `Run: `. */
export function failed(id: string, message: string, fix: string): SetupCheck {
  return { id, status: 'fail', message, fix }
}

/** In the place of a data directory where there is none: settings are the platform's. */
export const atEdge = 'the edge'

/** The command that puts a setting into the environment file; a later line holds over an earlier one. */
export function setCommand(setting: string, value: string, place: string): string {
  if (place === atEdge) return `npx wrangler secret put ${setting}`
  return `echo '${setting}=${value}' >> ${place}/.env`
}
