// What runs TypeScript as it stands does so on the main thread alone unless it is told to on each other one.
import { isMainThread } from 'node:worker_threads'
import { register } from 'tsx/esm/api'

if (!isMainThread) register()
