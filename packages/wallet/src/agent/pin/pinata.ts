import type { Secret } from '../../secret.ts'
import type { PinService } from '../card/pin-card.ts'
import { postForCid } from './post-for-cid.ts'

/** Your own account at Pinata (its files API, version 3). */
export function pinata(uploadUrl: string, jwt: Secret): PinService {
  return ({ card, bytes, fetch, signal }) => {
    const form = new FormData()
    form.append('network', 'public')
    form.append('name', `${card.name}.json`)
    form.append('file', new Blob([new Uint8Array(bytes)], { type: 'application/json' }), 'registration.json')
    return postForCid(fetch, `${uploadUrl.replace(/\/+$/, '')}/v3/files`, {
      headers: { authorization: `Bearer ${jwt.reveal()}` },
      body: form,
      signal,
      cidIn: ({ data }) => (typeof data === 'object' && data !== null && 'cid' in data ? data.cid : undefined),
    })
  }
}
