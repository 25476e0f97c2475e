import { confirm, isCancel, password, select, text } from '@clack/prompts'
import type { Readable, Writable } from 'node:stream'
import { type Asked, type ProductionInput, productionInputs } from './production-inputs.ts'

/**
 * Asks a person for what is missing, in order, and whether it shall be done. What is known and will do is not asked for, nor what needs no answer.
 * `null` once the person leaves. Nothing is written meanwhile.
 */
export async function askAnswers(
  given: Asked['given'],
  table: Asked['table'],
  { asksIdentity, question, ...terminal }: AskOptions,
): Promise<{ readonly given: Asked['given']; readonly registersIdentity: boolean } | null> {
  const known: Record<string, string> = { ...given }
  for (const input of productionInputs as readonly ProductionInput[]) {
    const asked = { given: { ...known }, table }
    const value = known[input.name] ?? (input.fallback(asked) === '' ? '' : undefined)
    if (value !== undefined && input.problem(value, asked) === null) continue
    const answer = await ask(input, asked, terminal)
    if (answer === null) return null
    known[input.name] = answer
  }
  const identity = asksIdentity
    ? await confirm({ message: 'Register the agent on chain as well, once the wallet can pay for it?', ...terminal })
    : false
  if (isCancel(identity)) return null
  const isWanted = await confirm({ message: question, ...terminal })
  return isWanted === true ? { given: known, registersIdentity: identity } : null
}

/** Where a person is asked; nobody is where the input is no terminal. */
export type SetupTerminal = { readonly input: Readable & { readonly isTTY?: boolean }; readonly output: Writable }

type Terminal = SetupTerminal & { readonly signal?: AbortSignal }

export type AskOptions = Terminal & {
  readonly asksIdentity: boolean
  /** The last, whether it shall be done. */
  readonly question: string
}

async function ask(input: ProductionInput, asked: Asked, terminal: Terminal): Promise<string | null> {
  const { title: message, isSecret, choices, problem } = input
  const fallback = input.fallback(asked)
  const validate = (value: string | undefined) => {
    const accepted = problem((value ?? '').trim() || (fallback ?? ''), asked)
    return accepted === null ? undefined : `Accepted: ${accepted}`
  }
  const answer =
    choices !== undefined
      ? await select({
          message,
          options: choices().map((value) => ({ value, label: value })),
          initialValue: fallback ?? undefined,
          ...terminal,
        })
      : isSecret
        ? await password({ message, validate, ...terminal })
        : await text({
            message,
            validate,
            ...(fallback === null ? {} : { defaultValue: fallback, placeholder: fallback }),
            ...terminal,
          })
  return isCancel(answer) ? null : (answer ?? '').trim() || fallback
}
