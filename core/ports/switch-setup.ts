/** What a switch is first set up with. */
export interface SwitchSetup {
  /** To be written into one folder, for the eyes of their owner: most hold passwords. */
  readonly files: readonly { readonly path: string; readonly text: string }[]
  /** What is to be done with them, a sentence each. */
  readonly steps: readonly string[]
}

/** What an operator says of the switch; what is left out is chosen. */
export interface SetupOptions {
  /** The folder that the files go into. */
  readonly out: string
  /** Where telephones and carriers reach the switch. */
  readonly address: string | null
}
