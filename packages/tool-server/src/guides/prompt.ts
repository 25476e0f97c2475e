import type * as z from 'zod'

/** A prompt as clients list it, and the words that it turns into. */
export type Prompt = {
  readonly name: string
  readonly title: string
  readonly description: string
  /** Who may not call one of these is not offered the prompt. */
  readonly tools: readonly string[]
  /** A strict object of texts, which is all that the protocol carries. */
  readonly input: z.ZodObject
  words(input: Readonly<Record<string, unknown>>): PromptWords
}

export type PromptWords = {
  readonly opening: string
  readonly steps: readonly Step[]
  readonly closing: string
}

/** Left out for who may not call all of its tools; `otherwise` stands in its place. */
export type Step = { readonly tools: readonly string[]; readonly text: string; readonly otherwise?: string }

/** Defines a prompt, whose words are typed by its arguments. */
export function definePrompt<const Input extends z.ZodObject>(
  facts: Omit<Prompt, 'input' | 'words'> & { readonly input: Input },
): { words(words: (input: z.output<Input>) => PromptWords): Prompt } {
  return {
    words: (words) => Object.freeze({ ...facts, words: (input) => words(input as z.output<Input>) }),
  }
}
