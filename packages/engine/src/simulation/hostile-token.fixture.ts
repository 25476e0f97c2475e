import { type Address, createPublicClient, createTestClient, http, parseUnits, toFunctionSelector } from 'viem'
import type { Intent } from '@svc/amm'
import { approvalOf, swapIntent } from '../fixtures/intents.fixture.ts'
import type { Pipeline } from '../fixtures/open-pipeline.fixture.ts'

/**
 * Puts code before the contract of a token, HOSTILE unless named, that runs `evil` where `condition` leaves true on the stack, and else
 * what stood there. Gives what puts the token back as it was.
 */
export async function turnToken(
  { devnet, token: addressOf }: Pick<Pipeline, 'devnet' | 'token'>,
  { symbol = 'HOSTILE', condition, evil, goesOn }: Turn,
): Promise<() => Promise<void>> {
  const token = addressOf(symbol)
  const transport = http(devnet.rpcUrl)
  const node = createTestClient({ mode: 'anvil', transport })
  const code = (await createPublicClient({ transport }).getCode({ address: token }))!
  await node.setCode({ address: honest, bytecode: code })
  const evilAt = size(condition) + 4 + size(delegate(0)) + size(leave)
  const head = `${condition}61${place(evilAt)}57${delegate(evilAt - size(leave))}${leave}5b${evil}`
  const after = goesOn === true ? `${delegate(size(head) + size(delegate(0)))}${leave}` : ''
  await node.setCode({ address: token, bytecode: `0x${head}${after}` })
  return () => node.setCode({ address: token, bytecode: code })
}

type Turn = {
  readonly symbol?: string
  /** Bytecode without 0x that leaves a truth on the stack. */
  readonly condition: string
  /** Bytecode without 0x. */
  readonly evil: string
  /** Whether the call is carried out after `evil` as the token would have. */
  readonly goesOn?: boolean
}

/** A swap of one HOSTILE that approves a little more than the router takes where `spare` is given. */
export async function sellHostile(pipeline: Pipeline, spare = 0n): Promise<Intent> {
  await pipeline.devnet.fund(pipeline.wallet, { HOSTILE: '10' })
  const spent = { token: pipeline.token('HOSTILE'), amount: parseUnits('1', 18) }
  const approval = approvalOf(spent.token, pipeline.chain.amm.v3!.swapRouter02, spent.amount + spare)
  const intent = { spends: [spent], approvals: [approval] }
  return swapIntent(pipeline, '0', {
    tokenIn: 'HOSTILE',
    tokenOut: 'USDC',
    fee: 10_000,
    amountIn: spent.amount,
    intent,
  })
}

/** True for calls of a function. */
export function calls(signature: string): string {
  return `60003560e01c63${toFunctionSelector(signature).slice(2)}14`
}

/** True in a block alone: simulations name no price of gas. */
export const isMined = '3a151516'

/** Announces a transfer to a stranger from the address that the call data holds at `fromAt`; the amount is in memory at 0. */
export function announces(fromAt: number): string {
  return `61dead60${byte(fromAt)}357f${transferTopic}60206000a3`
}

/** Calls a contract with the first argument of the call as its data. */
export function callsWithFirstArgument(contract: Address): string {
  return `6004356000526000600060206000600073${contract.slice(2)}5af150`
}

/** Carries a transfer out for a tenth of the amount that the call data holds at `amountAt`, and answers that all is well. */
export function keepsNineTenths(amountAt: number): string {
  const tenth = `366000600037600a60${byte(amountAt)}350460${byte(amountAt)}52`
  return `${tenth}6000600036600073${honest.slice(2)}5af450600160005260206000f3`
}

const honest: Address = '0x00000000000000000000000000000000000ca11e'
const transferTopic = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const leave = '5b3d6000f3'

function delegate(leaveAt: number): string {
  const call = `3660006000376000600036600073${honest.slice(2)}5af43d600060003e`
  return `${call}61${place(leaveAt)}573d6000fd`
}

function size(code: string): number {
  return code.length / 2
}

function place(at: number): string {
  return at.toString(16).padStart(4, '0')
}

function byte(value: number): string {
  return value.toString(16).padStart(2, '0')
}
