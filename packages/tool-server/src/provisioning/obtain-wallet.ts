import { join } from 'node:path'
import { type AgentRole, compilePolicy, loadPolicy } from '@svc/engine/policy'
import { type Chain, type Secret, WalletError } from '@svc/wallet/core'
import {
  checkManagedWallet,
  createAuthorizationKey,
  provisionManagedWallet,
  type ProviderApp,
  readAuthorizationKey,
  readAuthorizationPublicKey,
} from '@svc/wallet/provisioning'
import { ServiceWallet } from '@svc/wallet/service-wallet'
import type { Address } from 'viem'
import { ConfigError } from '../config/config-shape.ts'
import { rmdirSync, rmSync, statSync } from 'node:fs'
import { makeDirectory, readFileIfPresent, replaceFileDurably } from '@svc/runtime'
import * as z from 'zod'

/**
 * The managed wallet of a data directory: the one that its settings name, the one that an earlier run was making, or a new one, behind the
 * policy template of its role either way; read back, compared, and asked to sign what the policy forbids. No setting is written here: who
 * has written them calls `settled`. Throws `WalletError` where the wallet is not as it should be, or its provider does not answer, and
 * `ConfigError` where keys, or what an earlier run left, do not fit.
 */
export async function obtainWallet(wanted: WantedWallet, place: WalletPlace): Promise<ObtainedWallet> {
  const { policy, aggregations } = await templateOf(wanted, place)
  const { standing } = place
  if (standing !== null) {
    const { walletId, authPrivateKey } = standing
    place.onKey?.(authPrivateKey)
    const { address, differences } = await checkManagedWallet({ ...wanted.app, walletId, policy })
    if (differences.length > 0) throw notAsTemplate(walletId, differences)
    await requireDenial({ ...wanted.app, walletId, authPrivateKey })
    const settled = () => dropWalletNote(place.dataDir, authPrivateKey)
    return { walletId, address, authPrivateKey, origin: 'settings', ownerPrivateKey: null, settled }
  }
  const opened = await openWalletNote(place.dataDir, () => newNote(wanted, place.randomBytes))
  const { note } = opened
  for (const key of keysOf(note)) place.onKey?.(key)
  requireSameRequest(note, wanted, place)
  try {
    const asked = {
      ...wanted.app,
      externalId: note.externalId,
      ownerPublicKey: note.ownerPublicKey,
      policy,
      aggregations,
    }
    const signerPublicKey = readAuthorizationKey(note.authPrivateKey, 'authKey').publicKey
    const { walletId, address, isNew } = await provisionManagedWallet({ ...asked, signerPublicKey })
    const { authPrivateKey, ownerPrivateKey } = note
    await requireDenial({ ...wanted.app, walletId, authPrivateKey })
    const origin = isNew ? 'made' : 'found'
    return { walletId, address, authPrivateKey, ownerPrivateKey, origin, settled: async () => opened.drop() }
  } catch (error) {
    throw refusalWith(error, opened, place)
  }
}

export type WantedWallet = {
  readonly app: ProviderApp
  /** Private P-256 key that signs requests; one is made where it is `null`. */
  readonly authKey: string | null
  /** Public P-256 key of who may change wallet and policy; a pair is made where it is `null`. */
  readonly ownerKey: string | null
  readonly role: AgentRole
  readonly chains: readonly Chain[]
}

export type WalletPlace = {
  readonly dataDir: string
  /** What the settings name already; `null` where they name no wallet. */
  readonly standing: { readonly walletId: string; readonly authPrivateKey: string } | null
  readonly randomBytes: (size: number) => Uint8Array
  /** Hears of every private key before it is used. */
  readonly onKey?: (privateKey: string) => void
}

export type ObtainedWallet = {
  readonly walletId: string
  readonly address: Address
  readonly authPrivateKey: string
  /** `found`: made at the provider by a run that was cut off. */
  readonly origin: 'settings' | 'found' | 'made'
  /** Of a pair that was made here. */
  readonly ownerPrivateKey: string | null
  /** To be called once the settings name the wallet: then nothing needs to be found again. */
  readonly settled: () => Promise<void>
}

function newNote({ app, authKey, ownerKey }: WantedWallet, randomBytes: WalletPlace['randomBytes']): WalletNote {
  const signer = authKey === null ? createAuthorizationKey() : readAuthorizationKey(authKey, 'authKey')
  const owner = ownerKey === null ? createAuthorizationKey() : null
  const ownerPublicKey = owner?.publicKey ?? readAuthorizationPublicKey(ownerKey ?? '', 'ownerKey')
  if (signer.publicKey === ownerPublicKey) throw ownerSigns()
  return {
    appId: app.appId,
    externalId: `svc-${Buffer.from(randomBytes(16)).toString('hex')}`,
    authPrivateKey: signer.privateKey,
    ownerPublicKey,
    ownerPrivateKey: owner?.privateKey ?? null,
  }
}

function keysOf({ authPrivateKey, ownerPrivateKey }: WalletNote): readonly string[] {
  return ownerPrivateKey === null ? [authPrivateKey] : [authPrivateKey, ownerPrivateKey]
}

/** What a run was cut off in is gone on with, not begun anew with other keys: its wallet would be nobody's. */
function requireSameRequest(
  note: WalletNote,
  { app, authKey, ownerKey }: WantedWallet,
  { dataDir }: WalletPlace,
): void {
  const isSame =
    note.appId === app.appId &&
    (authKey === null || readAuthorizationKey(authKey, 'authKey').privateKey === note.authPrivateKey) &&
    (ownerKey === null || readAuthorizationPublicKey(ownerKey, 'ownerKey') === note.ownerPublicKey)
  if (isSame) return
  const setting = walletNotePath(dataDir)
  const message = 'A set-up that was cut off was making a wallet with another app or other keys.'
  const fix = 'Name those again, or remove this file, which gives that wallet up.'
  throw new ConfigError([{ code: 'WALLET_NOTE_DIFFERS', setting, message, fix }])
}

function ownerSigns(): ConfigError {
  const message = 'The key that signs and the key that owns the policy are the same: then no policy holds.'
  const fix = 'Name a public key whose private key is not on this machine.'
  return new ConfigError([{ code: 'SETTING_INVALID', setting: 'SVC_PROVISION_OWNER_KEY', message, fix }])
}

/**
 * A provider that said no to a first request made nothing that is used, and the note of it goes; one that did not answer may have made the
 * wallet. What an earlier run left stays until somebody gives its wallet up.
 */
function refusalWith(error: unknown, { isLeft, drop }: OpenWalletNote, { dataDir }: WalletPlace): unknown {
  if (!(error instanceof WalletError)) return error
  const { code, message } = error
  const mayBeMade = code === 'SIGNER_UNAVAILABLE' || code === 'SIGNER_RATE_LIMITED'
  if (!isLeft && !mayBeMade) drop()
  if (!isLeft || code !== 'SIGNER_REFUSED') return error
  const hint = `A run that was cut off made it; ${walletNotePath(dataDir)} says with which keys. To give it up, remove that file.`
  return new WalletError('SIGNER_REFUSED', `${message} ${hint}`, { cause: error })
}

/** The policy that the provider is to hold the wallet to: production's, as the role needs it, on these chains. */
async function templateOf({ role, chains }: WantedWallet, { dataDir }: WalletPlace) {
  const policy = await loadPolicy(join(dataDir, 'policy.json'), { production: true })
  return compilePolicy(policy, chains, { role })
}

function notAsTemplate(walletId: string, differences: readonly string[]): WalletError {
  const message = `The wallet ${walletId} at the provider is not as role and chains say: ${differences.join('; ')}. Have its owner change it, or name the role and chains that it was made with.`
  return new WalletError('SIGNER_REFUSED', message)
}

/** Asks for what the policy forbids: a provider that signs it holds nobody to it. */
async function requireDenial(config: {
  readonly appId: string
  readonly appSecret: string | Secret
  readonly apiUrl?: string | undefined
  readonly walletId: string
  readonly authPrivateKey: string
}): Promise<void> {
  const { apiUrl, ...rest } = config
  const wallet = new ServiceWallet({ mode: 'managed', ...rest, ...(apiUrl === undefined ? {} : { apiUrl }) })
  const outcome = await wallet.signMessage('The policy of this wallet refuses to sign this.').then(
    () => 'signed',
    (error: unknown) => (error instanceof WalletError && error.code === 'SIGNER_REFUSED' ? 'refused' : error),
  )
  if (outcome === 'refused') return
  if (outcome !== 'signed') throw outcome
  const message = `The provider signed with the wallet ${config.walletId} what its policy forbids. Send nothing to it.`
  throw new WalletError('SIGNER_REFUSED', message)
}

/**
 * Keeps what a wallet will be known by before its provider is asked for it: a run that is cut off anywhere behind is followed by one that
 * finds the same wallet, with the keys that it was made with. `make` says what stands there where no earlier run left anything. Throws
 * `ConfigError` where what was left makes no sense.
 */
async function openWalletNote(dataDir: string, make: () => WalletNote): Promise<OpenWalletNote> {
  const path = walletNotePath(dataDir)
  const left = await readFileIfPresent(path)
  if (left !== null) return { note: readNote(left, path), isLeft: true, drop: () => rmSync(path, { force: true }) }
  const isNewPlace = statSync(dataDir, { throwIfNoEntry: false }) === undefined
  const note = make()
  makeDirectory(dataDir)
  await replaceFileDurably(path, `${JSON.stringify(note, null, 2)}\n`)
  return {
    note,
    isLeft: false,
    drop: () => {
      rmSync(path, { force: true })
      if (isNewPlace) removeIfEmpty(dataDir)
    },
  }
}

/** Takes the note of a wallet that stands in the settings away: what was cut off was only this. */
async function dropWalletNote(dataDir: string, authPrivateKey: string): Promise<void> {
  const path = walletNotePath(dataDir)
  const left = await readFileIfPresent(path)
  if (left !== null && readNote(left, path).authPrivateKey === authPrivateKey) rmSync(path, { force: true })
}

/** Where it stands in a data directory. */
export function walletNotePath(dataDir: string): string {
  return join(dataDir, 'wallet-in-the-making.json')
}

type OpenWalletNote = {
  readonly note: WalletNote
  /** Whether an earlier run left it. */
  readonly isLeft: boolean
  /** Takes it away, once the wallet stands in the settings or its provider refused to make it. */
  readonly drop: () => void
}

type WalletNote = z.output<typeof noteForm>

const noteForm = z.strictObject({
  appId: z.string().min(1),
  /** The name of ours by which the provider finds the wallet. */
  externalId: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
  /** Of the key that signs requests. */
  authPrivateKey: z.string().min(1),
  ownerPublicKey: z.string().min(1),
  /** Of a pair that was made here. */
  ownerPrivateKey: z.string().min(1).nullable(),
})

function readNote(text: string, path: string): WalletNote {
  try {
    return noteForm.parse(JSON.parse(text))
  } catch {
    // Nothing of it is quoted: it holds keys.
    const message = 'It is damaged. It names a wallet that was being made.'
    const fix = 'Look for it at the provider, then remove the file.'
    throw new ConfigError([{ code: 'WALLET_NOTE_DAMAGED', setting: path, message, fix }])
  }
}

function removeIfEmpty(directory: string): void {
  try {
    rmdirSync(directory)
  } catch {
    // Something else stands in it.
  }
}
