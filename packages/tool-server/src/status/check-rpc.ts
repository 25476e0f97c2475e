import type { Chain } from '@svc/wallet/core'
import type { Config } from '../config/config-shape.ts'
import type { Ports } from '../ports.ts'
import type { SetupReport } from '../tool.ts'

type Check = SetupReport['checks'][number]

/**
 * Probes the chains the operator configured an endpoint for, or, when none is, the first of the table as a sign of life
 * (public endpoints of all chains would be a dozen strangers to ask).
 */
export async function checkRpc(config: Config, { chains, rpc }: Ports): Promise<readonly Check[]> {
  const configured = chains.list().filter((chain) => config.rpc.urls.has(chain.id))
  const chosen = configured.length > 0 ? configured : chains.list().slice(0, 1)
  return Promise.all(chosen.map(async (chain) => describe(chain, await rpc.probe(chain))))
}

function describe(chain: Chain, probe: Awaited<ReturnType<Ports['rpc']['probe']>>): Check {
  const id = `rpc-${chain.name}`
  if (probe.healthy) {
    const age = probe.headAgeSeconds === null ? '' : `, head ${Math.round(probe.headAgeSeconds)} s old`
    return {
      id,
      status: 'pass',
      message: `${chain.name} answers in ${Math.round(probe.latencyMs ?? 0)} ms${age}.`,
      fix: null,
    }
  }
  return {
    id,
    status: 'fail',
    message: `${chain.name}: ${probe.problem ?? 'The endpoint is not usable.'}`,
    fix: `Set SVC_RPC_URL_${chain.id} to an endpoint that answers.`,
  }
}
