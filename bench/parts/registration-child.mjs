// Registers agents with the built wallet package, one for each message, in a process that ends itself at a point its
// parent names. What it must remember is in a folder, as it would be for whoever installs the package.
import { arm, tracedPoints } from './crash-point.mjs'
import './crash-points-outside.mjs'
import { join } from 'node:path'
import { createFileJournal, createFileRegistrationRecords, registerAgent, ServiceWallet } from '@svc/wallet'

process.on('message', (message) => void answer(message))
process.on('disconnect', () => process.exit())
process.send({ isReady: true })

async function answer({ point, ...trial }) {
  arm(point)
  const outcome = await register(trial).then(
    (result) => ({ result }),
    ({ code, message, cause }) => ({ error: { code: String(code ?? 'UNEXPECTED'), message, cause: String(cause) } }),
  )
  const points = tracedPoints()
  arm(null)
  process.send({ ...outcome, points })
}

async function register({ folder, wallet, options, isWithoutSdk }) {
  const journal = createFileJournal(join(folder, 'journal.jsonl'))
  try {
    return await registerAgent(new ServiceWallet(wallet), {
      ...options,
      journal,
      records: createFileRegistrationRecords(join(folder, 'registrations.json')),
      env: {},
      ...(isWithoutSdk && { loadIdentitySdk: missing }),
    })
  } finally {
    await journal.close()
  }
}

async function missing() {
  throw Object.assign(new Error("Cannot find package 'agent0-sdk'"), { code: 'ERR_MODULE_NOT_FOUND' })
}
