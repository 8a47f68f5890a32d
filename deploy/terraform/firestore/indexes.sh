#!/bin/sh
# Made by go test ./internal/store/firestore -run TestIndexFiles -update. PROJECT and DATABASE say where.
set -eu
gcloud firestore indexes composite create --project="$PROJECT" --database="$DATABASE" --collection-group=trilith_memories --query-scope=collection-group --field-config=field-path=shard,order=ascending --field-config=field-path=change,order=ascending
gcloud firestore indexes composite create --project="$PROJECT" --database="$DATABASE" --collection-group=trilith_memories --query-scope=collection --field-config=field-path=keys,array-config=contains --field-config=field-path=recorded,order=ascending
gcloud firestore indexes composite create --project="$PROJECT" --database="$DATABASE" --collection-group=trilith_memories --query-scope=collection --field-config=field-path=keys,array-config=contains --field-config=field-path=recorded,order=descending
gcloud firestore indexes composite create --project="$PROJECT" --database="$DATABASE" --collection-group=trilith_memories --query-scope=collection --field-config=field-path=keys,array-config=contains --field-config=field-path=event,order=descending
gcloud firestore indexes composite create --project="$PROJECT" --database="$DATABASE" --collection-group=trilith_memories --query-scope=collection --field-config=field-path=keys,array-config=contains --field-config=field-path=seq,order=ascending
gcloud firestore indexes composite create --project="$PROJECT" --database="$DATABASE" --collection-group=trilith_jobs --query-scope=collection-group --field-config=field-path=queue,order=ascending --field-config=field-path=due,order=ascending
gcloud firestore indexes composite create --project="$PROJECT" --database="$DATABASE" --collection-group=trilith_jobs --query-scope=collection-group --field-config=field-path=queue,order=ascending --field-config=field-path=kind,order=ascending --field-config=field-path=due,order=ascending
gcloud firestore indexes composite create --project="$PROJECT" --database="$DATABASE" --collection-group=trilith_embeddings --query-scope=collection-group --field-config=field-path=place,order=ascending --field-config=field-path=at,order=ascending
gcloud firestore indexes composite create --project="$PROJECT" --database="$DATABASE" --collection-group=trilith_jobs --query-scope=collection --field-config=field-path=state,order=ascending --field-config=field-path=id,order=descending
gcloud firestore indexes composite create --project="$PROJECT" --database="$DATABASE" --collection-group=trilith_vectors --query-scope=collection --field-config=field-path=keys,array-config=contains --field-config=field-path=v,vector-config='{"dimension":"256","flat":{}}'
gcloud firestore indexes composite create --project="$PROJECT" --database="$DATABASE" --collection-group=trilith_vectors --query-scope=collection --field-config=field-path=keys,array-config=contains --field-config=field-path=v,vector-config='{"dimension":"384","flat":{}}'
gcloud firestore indexes composite create --project="$PROJECT" --database="$DATABASE" --collection-group=trilith_vectors --query-scope=collection --field-config=field-path=keys,array-config=contains --field-config=field-path=v,vector-config='{"dimension":"768","flat":{}}'
gcloud firestore indexes composite create --project="$PROJECT" --database="$DATABASE" --collection-group=trilith_vectors --query-scope=collection --field-config=field-path=keys,array-config=contains --field-config=field-path=v,vector-config='{"dimension":"1024","flat":{}}'
gcloud firestore indexes composite create --project="$PROJECT" --database="$DATABASE" --collection-group=trilith_vectors --query-scope=collection --field-config=field-path=keys,array-config=contains --field-config=field-path=v,vector-config='{"dimension":"1536","flat":{}}'
gcloud firestore indexes fields update place --project="$PROJECT" --database="$DATABASE" --collection-group=trilith_embeddings --index=order=ascending,query-scope=collection-group --index=order=ascending,query-scope=collection
gcloud firestore indexes fields update place --project="$PROJECT" --database="$DATABASE" --collection-group=trilith_vectors --index=order=ascending,query-scope=collection-group --index=order=ascending,query-scope=collection
gcloud firestore indexes fields update gen --project="$PROJECT" --database="$DATABASE" --collection-group=trilith_vectors --index=order=ascending,query-scope=collection-group --index=order=ascending,query-scope=collection
gcloud firestore indexes fields update body --project="$PROJECT" --database="$DATABASE" --collection-group=trilith_vectors --disable-indexes
gcloud firestore indexes fields update body --project="$PROJECT" --database="$DATABASE" --collection-group=trilith_memories --disable-indexes
gcloud firestore indexes fields update body --project="$PROJECT" --database="$DATABASE" --collection-group=trilith_jobs --disable-indexes
gcloud firestore indexes fields update v --project="$PROJECT" --database="$DATABASE" --collection-group=trilith_embeddings --disable-indexes
gcloud firestore indexes fields update body --project="$PROJECT" --database="$DATABASE" --collection-group=records --disable-indexes
gcloud firestore indexes fields update body --project="$PROJECT" --database="$DATABASE" --collection-group=audit --disable-indexes
gcloud firestore indexes fields update body --project="$PROJECT" --database="$DATABASE" --collection-group=chunks --disable-indexes
gcloud firestore indexes fields update body --project="$PROJECT" --database="$DATABASE" --collection-group=rows --disable-indexes
gcloud firestore indexes fields update body --project="$PROJECT" --database="$DATABASE" --collection-group=claims --disable-indexes
gcloud firestore indexes fields update change --project="$PROJECT" --database="$DATABASE" --collection-group=trilith_memories --disable-indexes
gcloud firestore indexes fields update recorded --project="$PROJECT" --database="$DATABASE" --collection-group=trilith_memories --disable-indexes
gcloud firestore indexes fields update event --project="$PROJECT" --database="$DATABASE" --collection-group=trilith_memories --disable-indexes
gcloud firestore indexes fields update seq --project="$PROJECT" --database="$DATABASE" --collection-group=trilith_memories --disable-indexes
gcloud firestore indexes fields update due --project="$PROJECT" --database="$DATABASE" --collection-group=trilith_jobs --disable-indexes
