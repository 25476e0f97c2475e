type Facts = {
  readonly manifest: object
  readonly settings: readonly { readonly name: string }[]
  readonly tools?: readonly { readonly name: string }[]
}

export declare function serverJson(facts: Facts): Record<string, unknown>

export declare function bundleManifest(facts: Required<Facts>): Record<string, unknown>

export declare const entryPoint: string
