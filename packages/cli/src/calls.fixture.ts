import { vi } from 'vitest'
import { carryOut, commands } from './run-command.ts'

/**
 * A command of `svc` carried out in this process, as its own does once it knows which is meant: loading the program anew takes
 * a second of a processor. One at a time, for what it prints is kept here. As in a process of `processes.fixture.ts`,
 * nothing of ours is in its environment but what is given.
 */
export async function callCommand(
  [name, ...words]: readonly [keyof typeof commands, ...(readonly string[])],
  environment: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const printed = { stdout: '', stderr: '' }
  const spies = (['stdout', 'stderr'] as const).map((stream) =>
    vi.spyOn(process[stream], 'write').mockImplementation((text) => ((printed[stream] += String(text)), true)),
  )
  const before = process.env
  process.env = {
    ...Object.fromEntries(Object.entries(before).filter(([variable]) => !/^(npm_|SVC_|LOG_LEVEL)/i.test(variable))),
    ...environment,
  }
  try {
    const code = await carryOut(name, commands[name].load, words, new Promise<never>(() => {}))
    return { code, ...printed }
  } finally {
    process.env = before
    for (const spy of spies) spy.mockRestore()
  }
}
