import { contentAddress } from './registration-file.ts'

/** A pinning account and a gateway over the same blocks. */
export function createPinning(): typeof fetch {
  const blocks = new Map<string, Uint8Array>()
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input)
    if (init?.body instanceof FormData) {
      const file = init.body.get('file')
      const bytes = file instanceof Blob ? new Uint8Array(await file.arrayBuffer()) : new Uint8Array()
      blocks.set(contentAddress(bytes), bytes)
      return Response.json({ data: { cid: contentAddress(bytes) } })
    }
    const block = blocks.get(url.pathname.replace('/ipfs/', ''))
    return block === undefined ? new Response(null, { status: 404 }) : new Response(Buffer.from(block))
  }
}
