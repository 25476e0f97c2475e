import type { Config } from '../config/config-shape.ts'
import type { Ports } from '../ports.ts'
import type { StatusReport } from '../tool-context.ts'
import { checkChains } from './check-chains.ts'
import { checkSettings } from './check-settings.ts'
import { atEdge } from './setup-check.ts'
import { version, withoutWallet } from './status.ts'

/** What a server at an edge says about itself: nothing of a machine, files or keys on it, for it has none. */
export function createEdgeStatus({ config, ports, now }: EdgePlace): StatusReport {
  return Object.freeze({
    setup: async () => ({
      profile: config.profile,
      version,
      checks: [...checkSettings(config, ports, 'D'), ...(await checkChains(config, ports, atEdge, now))],
    }),
    safety: async () => withoutWallet,
  })
}

type EdgePlace = {
  readonly config: Config
  readonly ports: Pick<Ports, 'chains' | 'rpc' | 'agentAddress'>
  /** Unix milliseconds. */
  readonly now: () => number
}
