/*
 * offline.ts: the service worker: what was fetched once is there without a network. `__VERSION__` is
 * a hash of the page's files: with another one everything is fetched anew.
 */
declare const __VERSION__: string;
declare const __FILES__: readonly string[];

interface Lifetime extends Event {
  waitUntil(what: Promise<unknown>): void;
}
interface Fetching extends Lifetime {
  readonly request: Request;
  respondWith(what: Promise<Response>): void;
}
const scope = self as unknown as {
  addEventListener(name: string, listener: (event: never) => void): void;
  skipWaiting(): Promise<void>;
  clients: { claim(): Promise<void> };
  registration: { scope: string };
};
const NAME = `pinfold-${__VERSION__}`;

scope.addEventListener("install", (event: Lifetime) =>
  event.waitUntil(
    caches
      .open(NAME)
      .then((cache) => cache.addAll([...__FILES__]))
      .then(() => scope.skipWaiting()),
  ),
);

scope.addEventListener("activate", (event: Lifetime) =>
  event.waitUntil(
    caches
      .keys()
      .then((names) =>
        Promise.all(
          names
            .filter((name) => name.startsWith("pinfold-") && name !== NAME)
            .map((name) => caches.delete(name)),
        ),
      )
      .then(() => scope.clients.claim()),
  ),
);

async function answer(request: Request): Promise<Response> {
  const cache = await caches.open(NAME);
  const found = await cache.match(request, { ignoreSearch: true });
  if (found) return found;
  const response = await fetch(request);
  if (response.ok) await cache.put(request, response.clone());
  return response;
}

scope.addEventListener("fetch", (event: Fetching) => {
  const { request } = event;
  if (request.method === "GET" && request.url.startsWith(scope.registration.scope))
    event.respondWith(answer(request));
});
