# A Tributary worker for a cluster. It holds no Temporal server: TEMPORAL_ADDRESS names the one to work for.
FROM node:22-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json tsconfig.build.json ./
COPY scripts ./scripts
COPY src ./src
RUN node scripts/build.mjs && npm prune --omit=dev

FROM node:22-bookworm-slim
ENV NODE_ENV=production TRIBUTARY_DATA_DIR=/data
WORKDIR /app
# The SDK reaches TLS clusters with the system's certificates, which the slim image lacks.
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates && rm -rf /var/lib/apt/lists/*
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY docs ./docs
COPY examples ./examples
RUN mkdir /data && chown node:node /data
VOLUME /data
USER node
CMD ["node", "dist/cli.js", "worker"]
