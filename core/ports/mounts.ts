/** A request to a path that a program other than a client of the API asks, such as a switch. */
export interface MountedRequest {
  /** Of the connection, not what a header says. */
  readonly address: string
  header(name: string): string | undefined
  /** The body; rejects with `too_large` and the like. */
  body(): Promise<string>
}

export interface MountedResponse {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly type: string
  readonly body: string
}

/** A path of the service outside its session and its API. It is answered to POST alone. */
export interface Mount {
  readonly path: string
  /** The largest body, in bytes. */
  readonly largest: number
  answer(request: MountedRequest): Promise<MountedResponse>
}
