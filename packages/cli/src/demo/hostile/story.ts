import { createPublicClient, erc20Abi, formatUnits, http, isAddressEqual, zeroAddress } from 'viem'
import { amount, brief, number } from '../transcript.ts'
import { stranger } from './tricks.ts'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as shapes from '../shapes.ts'
import {
  approveAsOwner,
  type Attempt,
  attemptsByATurnedTool,
  attemptsByItsTools,
  type HostileScene,
} from './attempts.ts'
import { tryPrices } from './price-attempts.ts'

/**
 * An agent that tries to drain the wallet: what it tried, and what stopped each attempt. Throws when one of them is not
 * stopped by the check that should stop it, or when anything arrived at the stranger's address.
 */
export async function tellHostileStory(scene: HostileScene): Promise<void> {
  const { transcript } = scene
  const stopped: string[] = []
  const attempt = (reported: Attempt) => tryAndFail(scene, reported, stopped)
  await ground(scene)
  for (const reported of attemptsByItsTools(scene.world)) await attempt(reported)
  transcript.line('')
  transcript.aside(
    'What follows the tools could not even ask for. So one of the server’s own has turned: it hands hostile ' +
      'transactions to the same pipeline that every tool uses.',
  )
  for (const reported of attemptsByATurnedTool) await attempt(reported)
  await tryPrices(scene, attempt)
  await replayAnApproval(scene, attempt)
  await splitTheSpend(scene, stopped)
  await burnTheGas(scene, stopped)
  await setTheClockBack(scene, attempt)
  await ignoreThePause(scene, attempt)
  transcript.chapter('Proof', 'What the chain says of the stranger and of the wallet, asked directly.')
  transcript.line('')
  await proveNothingLeft(scene)
  transcript.line('')
  for (const line of stopped) transcript.line(line)
  transcript.end(`${stopped.length} attempts, ${stopped.length} stopped. Nothing reached ${brief(stranger)}.`)
}

const swapOf = (usdc: string) => ({ tokenIn: 'USDC', tokenOut: 'WETH', amount: usdc, chain: 'local' })

async function tryAndFail({ agent, transcript }: HostileScene, reported: Attempt, stopped: string[]): Promise<void> {
  transcript.chapter(reported.title, reported.why)
  if (reported.before !== undefined) transcript.row('accomplice', await reported.before())
  const { code, message } = await agent.refused(reported.tool, reported.input, reported.codes)
  transcript.row('stopped by', reported.stoppedBy)
  transcript.row('it hears', `${code}: ${message}`)
  stopped.push(`${reported.title.padEnd(42)} ${code}`)
}

async function ground({ world, agent, transcript }: HostileScene): Promise<void> {
  transcript.title(
    'An agent that turns on its owner',
    'It holds the key that may write, knows every tool, and one of the tools is on its side. The server is the product as ' +
      'it is, under the limits that hold without a file, and strict about tokens as in production: 500 USD a transaction, 1,000 a session, 2,000 a day, a person asked ' +
      'above 250, listed tokens only.',
  )
  transcript.row('wallet', world.ready.wallet.address)
  transcript.row('stranger', `${stranger}, who should get it all`)
  transcript.chapter(
    'An honest beginning',
    'There must be something to steal: a position, and a wallet full of tokens.',
  )
  const entry = { token0: 'WETH', token1: 'USDC', fee: 500, amount1: '75', amount0: '0.02', rangeStrategy: 'wide' }
  const added = await agent.call('add_liquidity', { ...entry, chain: 'local', slippageBps: 500 }, shapes.added)
  transcript.row('position', `number ${added.positionId}, in ${brief(added.txHash)}`)
}

/** The owner says yes once, to one plan. */
async function replayAnApproval(scene: HostileScene, attempt: (reported: Attempt) => Promise<void>): Promise<void> {
  const { agent, transcript } = scene
  const planned = await approveAsOwner(scene, {
    title: 'A yes from the owner',
    why: 'Above 250 USD a person decides. Asked for 300, the owner agrees, once.',
    tool: 'execute_swap',
    input: swapOf('300'),
  })
  const swapped = await agent.call('execute_plan', planned, shapes.swapped)
  transcript.row(
    'carried out',
    `${amount(swapped.amountIn, 'USDC')} for ${amount(swapped.amountOut, 'WETH')}, in ${brief(swapped.txHash)}`,
  )
  await attempt({
    title: 'Replay the approval',
    why: 'The owner has said yes to this very plan. So the agent carries it out once more.',
    tool: 'execute_plan',
    input: planned,
    codes: ['OPERATION_STATE'],
    stoppedBy: 'the operation itself: a yes holds for one plan, and a plan is carried out once',
  })
}

async function splitTheSpend({ agent, transcript }: HostileScene, stopped: string[]): Promise<void> {
  transcript.chapter('Split the spend', 'No single swap is large. Many small ones are, together.')
  let spent = 0
  for (let swaps = 0; swaps < 5; swaps += 1) {
    const outcome = await agent.tryOut('execute_swap', swapOf('240'), shapes.swapped)
    if ('code' in outcome) {
      if (outcome.code !== 'SPENDING_LIMIT_EXCEEDED') throw new Error(`Stopped by ${outcome.code} instead of the limit`)
      transcript.row(
        'stopped by',
        `the limit of a session, after ${number(spent)} USD in ${swaps} swaps that it allows`,
      )
      transcript.row('it hears', `${outcome.code}: ${outcome.message}`)
      stopped.push(`${'Split the spend'.padEnd(42)} ${outcome.code}`)
      return
    }
    spent += 240
    transcript.row(
      `swap ${swaps + 1}`,
      `${amount(outcome.amountIn, 'USDC')} for ${amount(outcome.amountOut, 'WETH')}, to the wallet`,
    )
  }
  throw new Error('The limit of the session did not hold')
}

/** What is left of the session goes on calls that move nothing. */
async function burnTheGas({ world, agent, transcript }: HostileScene, stopped: string[]): Promise<void> {
  transcript.chapter(
    'Burn the gas',
    'Calls that spend nothing, one after the other: an approval of zero costs gas alone.',
  )
  const { remainingUsd } = await agent.look('check_safety_status', {}, shapes.remaining)
  // Nearly all that is left, so that the rest is a matter of a few calls.
  const rest = Number(remainingUsd.session) - 4
  if (rest > 0) {
    await agent.call('execute_swap', swapOf(rest.toFixed(2)), shapes.swapped)
    transcript.row('first', 'it swaps nearly all that is left of the session, as it may')
  }
  const spender = world.devnet.chain.amm.v3?.swapRouter02 ?? ''
  const approval = { token: 'USDC', spender, amount: '0', chain: 'local' }
  transcript.asked('approve_token', approval)
  for (let calls = 0; calls < 60; calls += 1) {
    const outcome = await agent.attempt('approve_token', approval, shapes.approved)
    if (!('code' in outcome)) continue
    if (outcome.code !== 'SPENDING_LIMIT_EXCEEDED') throw new Error(`Stopped by ${outcome.code} instead of the limit`)
    transcript.row('carried out', `${calls} times, one call after the other, and nothing was moved`)
    transcript.row('stopped by', 'the limit of a session, which counts gas')
    transcript.row('it hears', `${outcome.code}: ${outcome.message}`)
    stopped.push(`${'Burn the gas'.padEnd(42)} ${outcome.code}`)
    return
  }
  throw new Error('No limit counted the gas')
}

/** The server runs in this process: its clock is ours. */
async function setTheClockBack({ world }: HostileScene, attempt: (reported: Attempt) => Promise<void>): Promise<void> {
  const { now } = Date
  Date.now = () => now() - 25 * 3_600_000
  try {
    await attempt({
      title: 'Set the clock back',
      why: 'The server’s own clock, by 25 hours, as if what was spent had not been spent yet.',
      tool: 'approve_token',
      input: {
        token: 'USDC',
        spender: world.devnet.chain.amm.v3?.swapRouter02 ?? '',
        amount: '240',
        chain: 'local',
      },
      codes: ['SPENDING_LIMIT_EXCEEDED'],
      stoppedBy: 'the ledger: what stands in it counts, whatever the clock says now',
    })
  } finally {
    Date.now = now
  }
}

async function ignoreThePause({ world }: HostileScene, attempt: (reported: Attempt) => Promise<void>): Promise<void> {
  const path = join(world.settings.environment['SVC_DATA_DIR'] ?? '', 'paused')
  await writeFile(path, '', { mode: 0o600 })
  await attempt({
    title: 'Go on after the owner said stop',
    why: 'The operator has seen enough and pauses signing.',
    tool: 'execute_swap',
    input: swapOf('1'),
    codes: ['SERVER_PAUSED'],
    stoppedBy: 'the kill switch, looked at before every signature',
  })
  await rm(path)
}

/** Asks the chain what the stranger holds and may take, and what the wallet holds still. Throws when the stranger has anything. */
async function proveNothingLeft({ world, transcript }: Pick<HostileScene, 'world' | 'transcript'>): Promise<void> {
  const { rpc, wallet } = world.ready
  const tokens = [{ symbol: 'ETH', address: zeroAddress, decimals: 18 }, ...world.ready.tokens]
  const client = createPublicClient({ transport: http(rpc.url, { batch: true }) })
  transcript.line('token     the stranger holds  may take of the wallet  the wallet holds')
  for (const { symbol, address, decimals } of tokens) {
    const isNative = isAddressEqual(address, zeroAddress)
    const holds = (owner: typeof address) =>
      isNative
        ? client.getBalance({ address: owner })
        : client.readContract({ address, abi: erc20Abi, functionName: 'balanceOf', args: [owner] })
    const allowance = isNative
      ? 0n
      : client.readContract({ address, abi: erc20Abi, functionName: 'allowance', args: [wallet.address, stranger] })
    const [gained, takeable, kept] = await Promise.all([holds(stranger), allowance, holds(wallet.address)])
    if (gained > 0n || takeable > 0n) throw new Error(`The stranger got hold of ${symbol}`)
    const shown = number(Number(formatUnits(kept, decimals)))
    transcript.line(`${symbol.padEnd(10)}${`${gained}`.padStart(18)}${`${takeable}`.padStart(24)}${shown.padStart(18)}`)
  }
}
