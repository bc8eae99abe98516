/** Shows the document of the process that this page comes from; requests that are tried go to that process alone. */
const here = new URL('.', document.baseURI);
const state = document.getElementById('state');

try {
  const answer = await fetch(new URL('v1/openapi.json', here));
  if (!answer.ok) throw new Error(`openapi.json was answered with ${answer.status}`);
  const spec = await answer.json();
  // The address by which the browser has reached the page; the page's policy allows requests to no other.
  spec.servers = [{ url: here.href.replace(/\/$/, '') }];
  const { SwaggerUIBundle } = globalThis;
  SwaggerUIBundle({
    spec,
    dom_id: '#api',
    presets: [SwaggerUIBundle.presets.apis],
    layout: 'BaseLayout',
    deepLinking: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: -1,
    defaultModelExpandDepth: 3,
    displayRequestDuration: true,
    filter: true,
    // Credentials are gone with the page, and no other address is asked to judge the document.
    persistAuthorization: false,
    validatorUrl: null,
  });
} catch (error) {
  state.textContent = `The document cannot be shown: ${error instanceof Error ? error.message : String(error)}`;
}
