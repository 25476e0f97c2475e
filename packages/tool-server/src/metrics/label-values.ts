import { ToolError } from '@svc/amm'
import type { RpcAnswered } from '@svc/amm/rpc'
import type { Config } from '../config/config-shape.ts'
import type { CallResult } from '../dispatch/call-result.ts'
import type { Tool } from '../tool.ts'

/** What figures and spans call tools, chains, endpoints and failures: values of closed sets, whatever callers and upstreams write. */
export function createLabelValues(
  tools: readonly Pick<Tool, 'name'>[],
  chains: readonly Pick<Config['chains'][number], 'id' | 'name'>[],
): LabelValues {
  const toolNames = new Set<unknown>(tools.map(({ name }) => name))
  const chainNames = new Map<unknown, string>(chains.map(({ id, name }) => [id, name]))
  return {
    toolOf: (name) => (typeof name === 'string' && toolNames.has(name) ? name : 'unknown'),
    chainOf: (id) => chainNames.get(id) ?? 'other',
  }
}

export type LabelValues = {
  /** Its name, or `unknown` where no tool has it. */
  readonly toolOf: (name: unknown) => string
  /** Of a chain of this server its name, of any other id `other`. */
  readonly chainOf: (chainId: unknown) => string
}

/** Its place in the operator's order, from 1, or `private`. */
export function endpointOf({ place, isPrivate }: Pick<RpcAnswered, 'place' | 'isPrivate'>): string {
  return isPrivate ? 'private' : `${place + 1}`
}

export function codeOfFailure(failure: unknown): string {
  return failure instanceof ToolError ? failure.code : 'INTERNAL'
}

/** `null` for one that is no error. */
export function codeOfResult(result: CallResult): string | null {
  return result.isError === true ? (result._meta?.['svc/error']?.code ?? 'INTERNAL') : null
}
