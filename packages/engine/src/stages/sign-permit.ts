import { type PositionPermit, ToolError } from '@svc/amm'
import { withSignature } from '@svc/amm/liquidity'
import type { TypedDataDefinition } from 'viem'
import { callFacts } from '../audit/call-outcomes.ts'
import { onStorage, throwFirst } from '../call/refusal.ts'
import { assertDeclared } from '../verdict/assert-declared.ts'
import type { Progress } from '../context/execution-context.ts'
import type { Step } from '../call/step.ts'
import { declaredContext, play } from './prepare.ts'
import { requireRunning } from '../switches/require-running.ts'
import type { Reserved } from './reserve-spend.ts'
import { oweRights } from '../transactions/revoke-allowances.ts'

/**
 * Puts the wallet's signature where a call keeps a place for one, once the call is simulated, counted and approved: checked against
 * the one permit that the intent declares, with a line in the audit log first and a note of the right that it gives. What comes of it is
 * simulated once more to the byte, on no assumption: there the endpoint sees the signature first. Any other step passes as it is.
 */
export async function signPermit(context: Reserved, progress: Progress, step: Step): Promise<Step> {
  const { engine, call, chain, wallet, known, intent } = context
  const { permit } = intent
  if (permit === undefined || step.kind !== 'call') return step
  if (engine.signGranted === undefined) {
    throw new ToolError('SIGNATURE_NOT_ALLOWED', 'This wallet signs transactions alone.')
  }
  engine.requireOpen()
  throwFirst((await requireRunning(engine, () => false)).refusals)
  const line = { event: 'tx.permit', ...callFacts(call), chainId: chain.id, wallet, permit } as const
  const noted = onStorage('the audit log cannot be written', () => engine.audit.append(line))
  await Promise.all([noted, oweRights(context)])
  const { snapshotTaken } = progress.valid
  const signature = await engine.signGranted(typedDataOf(chain.id, permit), {
    chain,
    wallet,
    nowSeconds: snapshotTaken.atSeconds,
    spenders: new Set(known.spenders.keys()),
    registries: none,
    reactors: none,
    siweDomains: none,
    grants: [{ kind: 'position-permit', ...permit }],
  })
  const signed = { ...step, data: withSignature(step.data, signature) }
  const simulation = await play(context, [signed], snapshotTaken)
  throwFirst(assertDeclared(intent, simulation, declaredContext(context)))
  return signed
}

const none: ReadonlySet<string> = new Set()

function typedDataOf(
  chainId: number,
  { positionManager, spender, tokenId, nonce, deadline }: PositionPermit,
): TypedDataDefinition {
  return {
    domain: { name: 'Uniswap V3 Positions NFT-V1', version: '1', chainId, verifyingContract: positionManager },
    types: {
      Permit: [
        { name: 'spender', type: 'address' },
        { name: 'tokenId', type: 'uint256' },
        { name: 'nonce', type: 'uint256' },
        { name: 'deadline', type: 'uint256' },
      ],
    },
    primaryType: 'Permit',
    message: { spender, tokenId, nonce, deadline: BigInt(deadline) },
  }
}
