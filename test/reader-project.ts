import { execFile } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const root = join(import.meta.dirname, '..')

/** A project of somebody who installed the packages, in a folder of its own: it sees what was built, and no source. */
export async function makeReaderProject(
  files: Readonly<Record<string, string>>,
  timeoutMs = 120_000,
): Promise<ReaderProject> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-reader-'))
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  for (const [name, text] of Object.entries({ 'package.json': '{"type":"module"}', ...files })) {
    await writeFile(join(folder, name), text)
  }
  const options = { cwd: folder, timeout: timeoutMs, killSignal: 'SIGKILL' } as const
  const run = promisify(execFile)
  return {
    folder,
    compile: async () => {
      const words = [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder, '--pretty', 'false']
      const isFailed = (error: unknown): error is { readonly stdout: string } => error instanceof Error
      return run(process.execPath, words, options).then(
        ({ stdout }) => stdout,
        (error: unknown) => (isFailed(error) && error.stdout !== '' ? error.stdout : String(error)),
      )
    },
    run: async (file, env = {}) =>
      (await run(process.execPath, [file], { ...options, env: { ...process.env, ...env } })).stdout,
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

export type ReaderProject = {
  readonly folder: string
  /** What the compiler says of it; empty where it is content. */
  readonly compile: () => Promise<string>
  /** What a program of it prints. */
  readonly run: (file: string, env?: Readonly<Record<string, string>>) => Promise<string>
  readonly remove: () => Promise<void>
}
