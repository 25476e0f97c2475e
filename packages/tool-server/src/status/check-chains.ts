import { ToolError } from '@svc/amm'
import { formatAmount } from '@svc/lp-math'
import { withinTime } from '@svc/runtime'
import type { Chain } from '@svc/wallet/core'
import type { Config } from '../config/config-shape.ts'
import type { Ports } from '../ports.ts'
import type { SetupCheck } from '../tool-context.ts'
import { failed, passed, setCommand, warned } from './check-settings.ts'

/**
 * Probes the chains the operator configured an endpoint for, or, when none is, the first of the table as a sign of life
 * (public endpoints of all chains would be a dozen strangers to ask); holds the clock of this machine against their blocks; and looks whether
 * the wallet holds gas on any.
 */
export async function checkChains(
  config: Config,
  ports: Pick<Ports, 'chains' | 'rpc' | 'agentAddress'>,
  place: string,
  now: () => number,
): Promise<readonly SetupCheck[]> {
  const chains = probedChains(config, ports)
  const probes = await checkRpc(config, ports, place)
  const readable = chains.filter((_chain, index) => probes[index]?.status === 'pass')
  const [clock, gas] = await Promise.all([
    checkClock(readable, ports, config.signIn !== null, now),
    checkGas(readable, ports),
  ])
  return [...probes, ...clock, ...gas]
}

function probedChains(config: Config, { chains }: Pick<Ports, 'chains'>): readonly Chain[] {
  const configured = chains.list().filter((chain) => config.rpc.urls.has(chain.id))
  return configured.length > 0 ? configured : chains.list().slice(0, 1)
}

/** Whether each chain's endpoint answers, serves that chain, calls contracts, and keeps up. */
export async function checkRpc(
  config: Config,
  ports: Pick<Ports, 'chains' | 'rpc'>,
  place: string,
): Promise<readonly SetupCheck[]> {
  const chains = probedChains(config, ports)
  return Promise.all(chains.map(async (chain) => describe(chain, await ports.rpc.probe(chain), place)))
}

function describe(chain: Chain, probe: Awaited<ReturnType<Ports['rpc']['probe']>>, place: string): SetupCheck {
  const id = `rpc-${chain.name}`
  if (probe.healthy) {
    const age = probe.headAgeSeconds === null ? '' : `, head ${Math.round(probe.headAgeSeconds)} s old`
    return passed(id, `${chain.name} answers in ${Math.round(probe.latencyMs ?? 0)} ms${age}.`)
  }
  const setting = `SVC_RPC_URL_${chain.id}`
  return failed(
    id,
    `${chain.name}: ${probe.problem ?? 'The endpoint is not usable.'}`,
    `Set ${setting} to an endpoint that answers. Run: ${setCommand(setting, 'https://...', place)}`,
  )
}

/** By the newest block of a public chain; nothing where none can be read, which the probe says. */
async function checkClock(
  chains: readonly Chain[],
  { rpc }: Pick<Ports, 'rpc'>,
  isNeeded: boolean,
  now: () => number,
): Promise<readonly SetupCheck[]> {
  const id = 'clock'
  const chain = chains.find(({ local }) => local !== true)
  if (chain === undefined) return []
  const asked = rpc.past(chain).getBlock()
  const block = await withinTime(
    asked.catch(() => null),
    patienceMs,
    null,
  )
  if (block === null) return []
  // Loaded when it is asked for: it belongs to what signs wallets in.
  const { requireClock } = await import('../auth/sign-in/require-clock.ts')
  const heard: number[] = []
  const onClockOff = ({ behindSeconds }: { readonly behindSeconds: number }) => void heard.push(behindSeconds)
  try {
    requireClock(block, { chain, now, onClockOff })
    return [passed(id, `The clock of this machine and the newest block of ${chain.name} agree.`)]
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    const [behind = 0] = heard
    const message = `The clock of this machine is ${Math.abs(behind)} s ${behind > 0 ? 'behind' : 'ahead of'} the newest block of ${chain.name}.`
    const fix = 'Set the clock by the network; where it is right, the endpoint lags. Run: timedatectl set-ntp true'
    return [isNeeded ? failed(id, `${message} Nobody is signed in.`, fix) : warned(id, message, fix)]
  }
}

/** Of a wallet that signs: on which chains it can pay for anything at all. */
async function checkGas(
  chains: readonly Chain[],
  { rpc, agentAddress }: Pick<Ports, 'rpc' | 'agentAddress'>,
): Promise<readonly SetupCheck[]> {
  if (agentAddress === null) return []
  const id = 'gas'
  const held = await Promise.all(
    chains.map(async (chain) => {
      const asked = rpc.client(chain).getBalance({ address: agentAddress })
      const answered = asked.catch(() => null)
      return { chain, wei: await withinTime<bigint | null>(answered, patienceMs, null) }
    }),
  )
  const known = held.flatMap(({ chain, wei }) => (wei === null ? [] : [{ chain, wei }]))
  if (known.length === 0) return []
  const paying = known.filter(({ wei }) => wei > 0n)
  const names = known.map(({ chain }) => chain.name).join(', ')
  if (paying.length === 0) {
    const message = `The wallet holds no native currency on ${names}, so it can send nothing there.`
    return [warned(id, message, `Send some to ${agentAddress}, no more than you can lose.`)]
  }
  const amounts = paying.map(
    ({ chain: { name, nativeCurrency }, wei }) =>
      `${formatAmount(wei, nativeCurrency.decimals)} ${nativeCurrency.symbol} on ${name}`,
  )
  return [passed(id, `The wallet holds ${amounts.join(', ')}.`)]
}

/** A check is worth no longer wait. */
const patienceMs = 2_000
