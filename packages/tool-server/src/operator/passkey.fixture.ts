import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

/** A passkey as a device holds it, which signs whatever a test says. */
export function makePasskey(type: 'ec' | 'rsa' = 'ec') {
  const { privateKey, publicKey } =
    type === 'ec'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : generateKeyPairSync('rsa', { modulusLength: 2_048 })
  const id = randomBytes(16).toString('base64url')
  return {
    id,
    publicKey: publicKey.export({ format: 'der', type: 'spki' }).toString('base64url'),
    /** What a browser gives back, with `change` laid over what a good one says. */
    confirm({ challenge, origin }: { readonly challenge: string; readonly origin: string }, change: Change = {}) {
      const said = { type: 'webauthn.get', challenge, origin, crossOrigin: false, ...change.said }
      const clientData = change.clientData ?? Buffer.from(JSON.stringify(said))
      const rpId = change.rpId ?? new URL(origin).hostname
      const head = createHash('sha256').update(rpId).digest()
      const authenticatorData = Buffer.concat([head, Buffer.from([change.flags ?? 0x05, 0, 0, 0, 1])])
      const signed = Buffer.concat([authenticatorData, createHash('sha256').update(clientData).digest()])
      const [clientText, dataText, signature] = [clientData, authenticatorData, sign('sha256', signed, privateKey)].map(
        (part) => part.toString('base64url'),
      ) as [string, string, string]
      return { id, clientData: clientText, authenticatorData: dataText, signature }
    },
  }
}

export type TestPasskey = ReturnType<typeof makePasskey>

type Change = {
  readonly said?: Readonly<Record<string, unknown>>
  readonly clientData?: Buffer
  readonly rpId?: string
  /** A person was there (1), and was recognised (4). */
  readonly flags?: number
}
