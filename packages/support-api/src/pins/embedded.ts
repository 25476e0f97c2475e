import type { Pins } from '@svc/store'
import { contentAddress, type PinService } from '@svc/wallet/core'

/** Keeps the content in the service's own store, from where `/ipfs/{cid}` serves it. */
export function embedded(pins: Pins): PinService {
  return async ({ bytes }) => {
    const cid = contentAddress(bytes)
    await pins.keep(cid, new TextDecoder().decode(bytes))
    return cid
  }
}
