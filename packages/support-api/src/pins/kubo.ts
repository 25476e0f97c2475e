import { postForCid, type PinService } from '@svc/wallet/core'

/** A Kubo node by its RPC (`/api/v0/add`), which must be reachable by this service alone: it has no keys of its own. */
export function kubo(rpcUrl: string): PinService {
  return ({ bytes, fetch, signal }) => {
    const form = new FormData()
    form.append('file', new Blob([new Uint8Array(bytes)], { type: 'application/json' }), 'registration.json')
    const query = 'cid-version=1&raw-leaves=true&pin=true&quieter=true'
    return postForCid(fetch, `${rpcUrl}/api/v0/add?${query}`, {
      headers: {},
      body: form,
      signal,
      cidIn: ({ Hash }) => Hash,
    })
  }
}
