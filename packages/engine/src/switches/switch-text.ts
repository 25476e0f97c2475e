import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { readFileIfPresent, replaceFileDurably } from '@svc/runtime'
import type { SharedSwitches } from '@svc/store'

/**
 * Where what stops signing stands: files of the data directory, or, where servers share a database, there, so that it holds for each of
 * them. A file named `paused` stops the server of its directory in either case.
 */
export type SwitchPlace = {
  readonly dataDir: string
  readonly sharedSwitches?: SharedSwitches | undefined
}

export type KeptSwitch = keyof typeof fileNames

const fileNames = {
  resumed: 'resumed.json',
  breaker: 'breaker.json',
  recorded: 'recorded.json',
  decisions: 'recorded-decisions.json',
} as const

/** `null` where nothing was ever kept. */
export function readSwitch({ dataDir, sharedSwitches }: SwitchPlace, name: KeptSwitch): Promise<string | null> {
  return sharedSwitches?.read(name) ?? readFileIfPresent(switchFile(dataDir, name))
}

/** It is on disk when this resolves. */
export function writeSwitch({ dataDir, sharedSwitches }: SwitchPlace, name: KeptSwitch, text: string): Promise<void> {
  return sharedSwitches?.replace(name, text) ?? replaceFileDurably(switchFile(dataDir, name), text)
}

export function switchFile(dataDir: string, name: KeptSwitch): string {
  return join(dataDir, fileNames[name])
}

/** Takes into the database what stood in the directory before the state was there; what it holds already stays. */
export async function shareSwitches(dataDir: string, shared: SharedSwitches): Promise<void> {
  const share = async (name: KeptSwitch) => {
    const text = await readFileIfPresent(switchFile(dataDir, name))
    if (text !== null && (await shared.read(name)) === null) await shared.replace(name, text)
  }
  await Promise.all(keptNames.map(share))
}

/** The other way round: takes out of rows that were put back into a file what the servers of a database had shared. */
export async function unshareSwitches(dataDir: string, shared: SharedSwitches): Promise<void> {
  for (const name of keptNames) {
    const text = await shared.read(name)
    if (text === null) continue
    await replaceFileDurably(switchFile(dataDir, name), text)
    await shared.replace(name, null)
  }
}

const keptNames = Object.keys(fileNames) as readonly KeptSwitch[]

/** Takes a file away, whether it is there or not. */
export function removeFile(path: string): Promise<void> {
  return rm(path, { force: true })
}
