import { pinata, type PinService } from '@svc/wallet/core'
import type { Store } from '@svc/store'
import type { Config } from '../config.ts'
import { embedded } from './embedded.ts'
import { kubo } from './kubo.ts'
import { pinningService } from './pinning-service.ts'

/** The pin backend that the settings name. */
export function chooseBackend({ pins: { backend }, gatewayUrl }: Config, store: Store): PinService {
  if (backend.kind === 'kubo') return kubo(backend.url)
  if (backend.kind === 'pinata') return pinata(backend.url, backend.jwt)
  const keep = embedded(store.pins)
  return backend.kind === 'embedded' ? keep : pinningService({ ...backend, gatewayUrl, keep })
}
