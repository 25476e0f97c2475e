import { ToolError } from '@svc/amm'
import { delegationTo } from './atomic-route.ts'
import type { Batch, Step } from '../call/step.ts'
import { simulate, type Simulation, type SimulationRequest } from '../simulation/simulation.ts'

/**
 * Simulates a batch twice at one block: its calls one by one, which shows each deposit and names the call that fails, and the very
 * transaction with the wallet delegated, whose effect and gas count. Both must come to the same, or a callee tells the one from the
 * other. No allowance may be left: a batch takes its own back. Throws what `simulate` throws, and `UNSAFE_TRANSACTION`.
 */
export async function simulateBatch(
  request: SimulationRequest,
  step: Step & { readonly batch: Batch },
  isDelegated: boolean,
): Promise<Simulation> {
  const { delegate, calls } = step.batch
  const [one, other] = await Promise.allSettled([
    simulate({ ...request, steps: calls, revokes: [] }),
    simulate({ ...request, steps: [step], revokes: [], code: delegationTo(delegate) }),
  ])
  // What a call of its own says of a failure tells more.
  if (one.status === 'rejected') throw one.reason
  if (other.status === 'rejected') throw other.reason
  const [apart, together] = [one.value, other.value]
  requireSame(apart, together)
  const left = together.leftovers.findIndex(
    (amount, index) => amount > 0n && request.allowances[index]?.revokeAfter === true,
  )
  if (left !== -1) throw unsafe('A token would keep an allowance that the batch takes back.')
  const authorizing = isDelegated ? 0n : authorizationGas
  return {
    ...together,
    deposits: apart.deposits,
    gasUsed: together.gasUsed.map((gas) => gas + authorizing),
    apart: apart.gasUsed,
  }
}

/**
 * Simulates what one call of a contract does beside the calls that would do the same one by one, to tell what that saves. Where both
 * fail, the calls say which of them it is; what they use is left out where they alone do.
 */
export async function simulateBeside(request: SimulationRequest, apart: readonly Step[]): Promise<Simulation> {
  const approvals = request.steps.filter(({ kind }) => kind === 'approve')
  const [one, other] = await Promise.allSettled([
    simulate({ ...request, steps: [...approvals, ...apart], revokes: [], deposits: [] }),
    simulate(request),
  ])
  if (other.status === 'rejected') throw one.status === 'rejected' ? one.reason : other.reason
  return one.status === 'rejected' ? other.value : { ...other.value, apart: one.value.gasUsed }
}

/** Of one authorization, before what is given back for an account that has been used (EIP-7702). */
const authorizationGas = 25_000n

function requireSame({ deltas: apart }: Simulation, { deltas: together }: Simulation): void {
  const tokens = new Set([...apart.keys(), ...together.keys()])
  for (const token of tokens) {
    if ((apart.get(token) ?? 0n) === (together.get(token) ?? 0n)) continue
    throw unsafe('As one transaction the calls would move something else than one by one.')
  }
}

function unsafe(message: string): ToolError {
  return new ToolError('UNSAFE_TRANSACTION', message, { details: [{ message: 'the simulation shows it' }] })
}
