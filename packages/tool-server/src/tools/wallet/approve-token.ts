import { isAddressEqual, parseEventLogs, zeroAddress, type Address } from 'viem'
import * as z from 'zod'
import { erc20Abi } from '@svc/amm/abis'
import { contractRead, readSurely } from '@svc/amm/rpc'
import { type Intent, type Settled, type Token, tokenLabel } from '@svc/amm'
import { writeTool } from '../../tool.ts'
import { addressInput, amountInput, amountOf, chainInput, invalidField, tokenInput } from '../params.ts'
import { notesResult, tokenAmount, tokenResult, tokenSummary, writeResult, writeStamp } from '../results.ts'

export const approveToken = writeTool({
  name: 'approve_token',
  title: 'Approve a token',
  description:
    'Gives a known contract an exact ERC-20 allowance from the agent wallet; amount "0" takes it back. Other tools approve and revoke by themselves: only when asked to. Never unlimited, nor to unknown spenders.',
  scope: 'admin:wallet',
  destructive: true,
  idempotent: true,
  input: z.strictObject({
    token: tokenInput,
    spender: addressInput.describe('Contract address'),
    amount: amountInput,
    chain: chainInput,
  }),
  output: z.object({
    ...writeResult,
    token: tokenResult,
    spender: z.string(),
    amount: z.string(),
    previousAmount: z.string(),
    notes: notesResult,
  }),
}).handler(async (input, context) => {
  const chain = context.chains.get(input.chain)
  if (input.spender === zeroAddress) throw invalidField('spender', 'The zero address can spend nothing.', 'a contract')
  const token = await context.tokens.resolve(chain, input.token, 'token')
  if (token.isNative) throw invalidField('token', 'The native currency needs no approval.', 'an ERC-20 token')
  const amount = amountOf(input.amount, token, 'amount')
  const allowance = contractRead(token.address, erc20Abi, 'allowance', [context.wallet.address, input.spender])
  const previous = await readSurely(context.rpc.client(chain), allowance)
  const intent: Intent = {
    chainId: chain.id,
    calls: [],
    atomicity: 'single',
    spends: [],
    receives: [],
    approvals: [{ token: token.address, spender: input.spender, amount, via: 'erc20', revokeAfter: false }],
    riskTier: 'routine',
    slippageBps: null,
    deadline: null,
    recipients: [],
    why: `Set the allowance of ${input.spender} to ${input.amount} ${tokenLabel(token)}.`,
  }
  return context.execute(intent, (settled) => ({
    ...writeStamp(chain, intent, settled),
    token: tokenSummary(token),
    spender: input.spender,
    amount: tokenAmount(approvedAmount(settled, token, context.wallet.address, input.spender), token),
    previousAmount: tokenAmount(previous, token),
    notes: [...settled.warnings],
  }))
})

/** The allowance that the last Approval log of the pair sets; zero without one. */
function approvedAmount(settled: Settled, token: Token, owner: Address, spender: Address): bigint {
  const logs = settled.transactions.flatMap((transaction) => transaction.logs)
  const approvals = parseEventLogs({ abi: erc20Abi, eventName: 'Approval', logs, args: { owner, spender } })
  return approvals.findLast((log) => isAddressEqual(log.address, token.address))?.args.value ?? 0n
}
