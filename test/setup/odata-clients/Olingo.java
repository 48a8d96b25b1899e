/*
 * Reads OData with Apache Olingo's client: java Olingo SERVICE USER APP_PASSWORD SET…, every set without names. Prints a line of JSON for each
 * set: its name, the number of its records, the sum of each decimal, and the number of values of each type.
 */
import java.math.BigDecimal;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.olingo.client.api.ODataClient;
import org.apache.olingo.client.api.communication.request.retrieve.ODataEntitySetRequest;
import org.apache.olingo.client.api.domain.ClientEntity;
import org.apache.olingo.client.api.domain.ClientEntitySet;
import org.apache.olingo.client.api.domain.ClientPrimitiveValue;
import org.apache.olingo.client.api.domain.ClientProperty;
import org.apache.olingo.client.core.ODataClientFactory;
import org.apache.olingo.client.core.http.BasicAuthHttpClientFactory;
import org.apache.olingo.commons.api.edm.Edm;
import org.apache.olingo.commons.api.edm.EdmEntitySet;
import org.apache.olingo.commons.api.edm.EdmPrimitiveType;
import org.apache.olingo.commons.api.edm.EdmProperty;
import org.apache.olingo.commons.api.format.ContentType;

public class Olingo {
  public static void main(String[] args) throws Exception {
    String service = args[0];
    ODataClient client = ODataClientFactory.getClient();
    client.getConfiguration().setHttpClientFactory(new BasicAuthHttpClientFactory(args[1], args[2]));
    client.getConfiguration().setDefaultPubFormat(ContentType.JSON);
    Edm edm = client.getRetrieveRequestFactory().getMetadataRequest(service).execute().getBody();
    List<String> names = new ArrayList<>(List.of(args).subList(3, args.length));
    if (names.isEmpty()) for (EdmEntitySet set : edm.getEntityContainer().getEntitySets()) names.add(set.getName());
    for (String name : names) {
      EdmEntitySet set = edm.getEntityContainer().getEntitySet(name);
      Map<String, BigDecimal> sums = new TreeMap<>();
      Map<String, Integer> types = new TreeMap<>();
      int count = 0, pages = 0;
      URI next = client.newURIBuilder(service).appendEntitySetSegment(name).build();
      while (next != null) {
        ODataEntitySetRequest<ClientEntitySet> request = client.getRetrieveRequestFactory().getEntitySetRequest(next);
        ClientEntitySet page = request.execute().getBody();
        for (ClientEntity entity : page.getEntities()) {
          count++;
          for (ClientProperty property : entity.getProperties()) {
            EdmProperty declared = set.getEntityType().getStructuralProperty(property.getName());
            if (declared == null) throw new Exception(name + " has no " + property.getName());
            if (property.getValue().isPrimitive() && property.getPrimitiveValue().toValue() == null) {
              if (!declared.isNullable()) throw new Exception(name + " has null for " + property.getName());
              continue;
            }
            ClientPrimitiveValue value = property.getPrimitiveValue();
            String type = declared.getType().getName();
            types.merge(type, 1, Integer::sum);
            // Reads the text with the facets of $metadata, which it has to fit.
            EdmPrimitiveType primitive = (EdmPrimitiveType) declared.getType();
            Class<?> java = type.equals("Decimal") ? BigDecimal.class : primitive.getDefaultType();
            Object read = primitive.valueOfString(
                value.toString(), declared.isNullable(), null, declared.getPrecision(), declared.getScale(), true, java);
            if (read instanceof BigDecimal) sums.merge(property.getName(), (BigDecimal) read, BigDecimal::add);
          }
        }
        pages++;
        next = page.getNext();
      }
      StringBuilder line = new StringBuilder("{\"set\":\"" + name + "\",\"count\":" + count + ",\"pages\":" + pages + ",\"sums\":{");
      line.append(String.join(",", sums.entrySet().stream().map(e -> "\"" + e.getKey() + "\":\"" + e.getValue().stripTrailingZeros().toPlainString() + "\"").toList()));
      line.append("},\"types\":{");
      line.append(String.join(",", types.entrySet().stream().map(e -> "\"" + e.getKey() + "\":" + e.getValue()).toList()));
      System.out.println(line.append("}}"));
    }
  }
}
