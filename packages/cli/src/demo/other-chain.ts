import { setTimeout as sleep } from 'node:timers/promises'
import type { Scene } from './scene.ts'
import * as shapes from './shapes.ts'
import { amount, brief } from './wording.ts'

/** By an order that is opened on one chain, and filled by a relayer on another. */
export async function moveToOtherChain({ agent, transcript, world }: Scene): Promise<void> {
  const { chain: there } = world.ready.crossChain
  transcript.chapter(
    'Move to another chain',
    'What leaves here is paid there by a stranger, or comes back: the server follows both chains until one has decided.',
  )
  const held = async () => {
    const { tokens } = await agent.look('get_agent_balance', { chain: there }, shapes.balance)
    return `${amount(tokens.find(({ symbol }) => symbol === 'USDC')?.amount ?? '0', 'USDC')} on ${there}`
  }
  const before = await held()
  const input = { tokenIn: 'USDC', tokenOut: 'USDC', amount: '1000', chain: 'local', destinationChain: there }
  const opened = await agent.call('submit_cross_chain_intent', input, shapes.opened)
  transcript.row('before', before)
  const least = amount(opened.minAmountOut, 'USDC')
  transcript.row('opened', `in ${brief(opened.txHash)}: ${amount(opened.amountIn, 'USDC')} for at least ${least} there`)
  const { operationId } = opened
  transcript.asked('get_operation', { operationId })
  for (;;) {
    const { state, result } = await agent.look('get_operation', { operationId }, shapes.crossing)
    const { amountOut, txHash } = result.destination
    if (state !== 'open') {
      if (amountOut === null || txHash === null) throw new Error(`The order is ${state}`)
      transcript.row(state, `${amount(amountOut, 'USDC')} came in ${brief(txHash)}, which the relayer paid for`)
      transcript.row('after', await held())
      return
    }
    await sleep(200)
  }
}
